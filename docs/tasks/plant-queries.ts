import { infiniteQueryOptions, mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { NewPlant } from 'plant-store'
import type { PlantClient } from 'plant-store/client'

/** For `useInfiniteQuery`. */
export const plantPages = (plants: PlantClient, limit = 50) =>
  infiniteQueryOptions({
    queryKey: ['plants', limit],
    queryFn: ({ pageParam, signal }) => plants.listPage({ limit, next: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false, // the client has tried again
  })

/** For `useMutation`. After a failure too, the pages are read again: the create may have been applied. */
export const creatingPlant = (plants: PlantClient, queries: QueryClient) =>
  mutationOptions({
    // Not `plants.create` itself, which would take TanStack's second argument for its options.
    mutationFn: (plant: NewPlant) => plants.create(plant),
    onSettled: () => queries.invalidateQueries({ queryKey: ['plants'] }),
  })

export const deletingPlant = (plants: PlantClient, queries: QueryClient) =>
  mutationOptions({
    mutationFn: (id: bigint) => plants.delete(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['plants'] }),
  })
