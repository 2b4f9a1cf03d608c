// garden.tsx
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { createPlantClient } from 'plant-store/client'
import { creatingPlant, plantPages } from './plant-queries.ts'

const plants = createPlantClient({ baseUrl: 'https://garden.example/api', token: 's3cret' })

export function Garden() {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(plantPages(plants))
  const { mutate } = useMutation(creatingPlant(plants, useQueryClient()))
  const shown = data?.pages.flatMap((page) => page.plants)
  return (
    <>
      {shown?.map(({ name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lists have no ids, and several plants may have one name
        <li key={index}>{name}</li>
      ))}
      <button type="button" onClick={() => mutate({ id: 7n, name: 'Monstera' })}>
        Add
      </button>
      <button type="button" disabled={!hasNextPage} onClick={() => fetchNextPage()}>
        More
      </button>
    </>
  )
}
