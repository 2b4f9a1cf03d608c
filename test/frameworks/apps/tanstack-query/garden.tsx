// garden.tsx
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { createPlantClient } from 'plant-store/client'
import { creatingPlant, plantPages } from './plant-queries.ts'

const plants = createPlantClient({ baseUrl: 'https://garden.example/api', token: 's3cret' })

export function Garden() {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(plantPages(plants))
  const { mutate } = useMutation(creatingPlant(plants, useQueryClient()))
  return (
    <>
      {data?.pages.flatMap((page) => page.plants.map(({ name }) => <li key={name}>{name}</li>))}
      <button type="button" onClick={() => mutate({ id: 7n, name: 'Monstera' })}>
        Add
      </button>
      <button type="button" disabled={!hasNextPage} onClick={() => fetchNextPage()}>
        More
      </button>
    </>
  )
}
