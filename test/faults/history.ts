import { inspect } from 'node:util'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { MaybePromise } from '../../src/lib/promises.ts'
import type { StoredPlant } from '../../src/plant.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { findUnexplained, type Observation } from './linearizability.ts'

/** A call of a storage, and what it returned. */
interface Call extends Omit<Observation, 'id' | 'kind'> {
  kind: 'create' | 'delete' | 'list'
  owner: string
  /** The plant that is created or deleted. */
  id?: bigint
  /** The result of a list. */
  plants?: readonly StoredPlant[]
  error?: unknown
}

/** Wraps a storage and records every call, which resolves to whether there was a result. If not, its outcome is unknown. */
export function recordCalls(storage: PlantStorage) {
  const calls: Call[] = []
  let clock = 0

  async function record(
    details: Pick<Call, 'kind' | 'owner' | 'id' | 'name'>,
    run: () => MaybePromise<boolean | readonly StoredPlant[]>,
  ): Promise<boolean> {
    const call: Call = { ...details, began: clock++, ended: Infinity }
    calls.push(call)
    try {
      const result = await run()
      if (typeof result === 'boolean') call.result = result
      else call.plants = result
      call.ended = clock++
      return true
    } catch (error) {
      call.error = error
      return false
    }
  }

  return {
    calls,
    create(owner: string, plant: StoredPlant) {
      const details = { kind: 'create', owner, id: plant.id, name: textOf(plant) } as const
      return record(details, () => storage.create(owner, plant))
    },
    delete: (owner: string, id: bigint) =>
      record({ kind: 'delete', owner, id }, () => storage.delete(owner, id)),
    list: (owner: string) =>
      record({ kind: 'list', owner }, () => storage.list(owner, { limit: 1_000_000 })),
  }
}

/**
 * Finds what no correct storage could have returned: an unexpected error, a list that is not in order, and each
 * plant whose calls are not linearizable. A call with unknown outcome may have taken effect at any later time or
 * never.
 *
 * @returns a description of each violation
 */
export function findViolations(calls: readonly Call[]): string[] {
  return [...Map.groupBy(calls, ({ owner }) => owner).values()].flatMap((ofOwner) => [
    ...ofOwner.flatMap(findMisbehaviour),
    ...findUnexplained(observe(ofOwner)).map(
      (observations) => `No order explains these results: ${inspect(observations)}`,
    ),
  ])
}

function findMisbehaviour({ kind, owner, plants = [], error }: Call): string[] {
  if (error && !(error instanceof StorageUnavailableError)) {
    return [`${kind} for ${owner} failed: ${error}`]
  }
  const ids = plants.map(({ id }) => id)
  const isAscending = ids.every((id, index) => index === 0 || ids[index - 1]! < id)
  return isAscending ? [] : [`A list of ${owner} is not in order: ${ids.join(', ')}`]
}

/** Splits the calls into what each says of each plant: a list tells of all of the owner's plants. */
function observe(ofOwner: Call[]): Observation[] {
  const ids = new Set(ofOwner.flatMap(({ id, plants = [] }) => id ?? plants.map(({ id }) => id)))
  return ofOwner.flatMap(({ kind, id, plants, ...call }): Observation[] => {
    if (kind !== 'list') return [{ ...call, kind, id: id! }]
    if (!plants) return []
    const names = new Map(plants.map((plant) => [plant.id, textOf(plant)]))
    return [...ids].map((id) => ({ ...call, kind: 'read', id, name: names.get(id) }))
  })
}

function textOf({ name, tag }: StoredPlant): string {
  return `"${name}" "${tag}"`
}
