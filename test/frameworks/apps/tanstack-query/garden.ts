// Compiles only where the guide's functions fit the hooks.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { createPlantClient } from 'plant-store/client'
import { creatingPlant, deletingPlant, plantPages } from './plant-queries.ts'

const plants = createPlantClient({ baseUrl: 'https://garden.example/api', token: 's3cret' })

export function useGarden() {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(plantPages(plants))
  const create = useMutation(creatingPlant(plants, useQueryClient()))
  const remove = useMutation(deletingPlant(plants, useQueryClient()))
  const names: string[] | undefined = data?.pages.flatMap((page) =>
    page.plants.map(({ name }) => name),
  )
  const add = () => create.mutate({ id: 7n, name: 'Monstera' })
  return { names, hasNextPage, fetchNextPage, add, drop: () => remove.mutate(7n) }
}
