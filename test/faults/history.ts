import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { StoredPlant } from '../../src/plant.ts'
import { type PlantStorage, StorageUnavailableError } from '../../src/plant-storage.ts'
import { findUnexplained, type Observation } from './linearizability.ts'

/** A call of a storage, and what it returned. Times count the events so far. */
export type Call = (
  | { kind: 'create'; plant: StoredPlant; result?: boolean }
  | { kind: 'delete'; id: bigint; result?: boolean }
  | { kind: 'list'; result?: readonly StoredPlant[] }
) & {
  owner: string
  began: number
  /** Infinity while it has not returned. If it never does, its effect is unknown. */
  ended: number
  /** An error that no accident may cause. */
  failure?: string
}

/** A storage whose calls are recorded. They return `undefined` if the outcome is unknown. */
export interface Recorder {
  readonly calls: Call[]
  create(owner: string, plant: StoredPlant): Promise<boolean | undefined>
  delete(owner: string, id: bigint): Promise<boolean | undefined>
  list(owner: string): Promise<readonly StoredPlant[] | undefined>
}

const ALL = { limit: 1_000_000 }

/** Wraps a storage and records every call. The outcome of an unavailable one is unknown. */
export function recordCalls(storage: Pick<PlantStorage, 'create' | 'list' | 'delete'>): Recorder {
  const calls: Call[] = []
  let clock = 0

  async function record<T>(call: Call, run: () => MaybePromise<T>): Promise<T | undefined> {
    calls.push(call)
    try {
      const result = await run()
      Object.assign(call, { result, ended: clock++ })
      return result
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) call.failure = String(error)
      return undefined
    }
  }

  const open = (owner: string) => ({ owner, began: clock++, ended: Infinity })
  return {
    calls,
    create: (owner, plant) =>
      record({ kind: 'create', plant, ...open(owner) }, () => storage.create(owner, plant)),
    delete: (owner, id) =>
      record({ kind: 'delete', id, ...open(owner) }, () => storage.delete(owner, id)),
    list: (owner) => record({ kind: 'list', ...open(owner) }, () => storage.list(owner, ALL)),
  }
}

/**
 * Finds what no correct storage could have returned: an unexpected error, a list that is not in order, a
 * plant that nobody created, and each plant whose calls are not linearizable. A call with unknown outcome
 * may have taken effect at any later time or never.
 *
 * @returns a description of each violation
 */
export function findViolations(calls: readonly Call[]): string[] {
  return [...Map.groupBy(calls, ({ owner }) => owner).values()].flatMap((ofOwner) => [
    ...ofOwner.flatMap(findMisbehaviour),
    ...findPhantoms(ofOwner),
    ...findUnexplained(observe(ofOwner)).map(describeHistory),
  ])
}

function findMisbehaviour(call: Call): string[] {
  const { kind, owner, result, failure } = call
  if (failure !== undefined) return [`${kind} for ${owner} failed: ${failure}`]
  if (kind !== 'list' || result === undefined) return []
  const ids = result.map(({ id }) => id)
  const isAscending = ids.every((id, index) => index === 0 || ids[index - 1]! < id)
  return isAscending ? [] : [`A list of ${owner} is not in order: ${ids.join(', ')}`]
}

function findPhantoms(ofOwner: Call[]): string[] {
  const created = new Set(
    ofOwner.flatMap((call) => (call.kind === 'create' ? [show(call.plant)] : [])),
  )
  const listed = ofOwner.flatMap((call) => (call.kind === 'list' ? (call.result ?? []) : []))
  const phantoms = new Set(listed.map(show).filter((plant) => !created.has(plant)))
  return [...phantoms].map((plant) => `A list of ${ofOwner[0]!.owner} has ${plant}: never created`)
}

/** Splits the calls into what each says of each plant: a list tells of all of the owner's plants. */
function observe(ofOwner: Call[]): Observation[] {
  const ids = new Set(
    ofOwner.flatMap((call) =>
      call.kind === 'create' ? [call.plant.id] : call.kind === 'delete' ? [call.id] : [],
    ),
  )
  return ofOwner.flatMap((call): Observation[] => {
    const { owner, began, ended } = call
    const key = (id: bigint) => `${owner}, ${id}`
    if (call.kind === 'create') {
      const { plant, kind, result } = call
      return [{ key: key(plant.id), kind, name: show(plant), result, began, ended } as Observation]
    }
    if (call.kind === 'delete') {
      return [
        { key: key(call.id), kind: 'delete', result: call.result, began, ended } as Observation,
      ]
    }
    if (call.result === undefined) return []
    const plants = new Map(call.result.map((plant) => [plant.id, show(plant)]))
    return [...ids].map((id) => {
      return { key: key(id), kind: 'read', name: plants.get(id), began, ended } as Observation
    })
  })
}

function describeHistory(observations: Observation[]): string {
  const lines = observations.map(({ kind, name, result, began, ended }) => {
    const outcome =
      kind === 'read' ? (name ?? 'nothing') : `${name ?? ''} -> ${result ?? 'unknown'}`
    return `  ${began} to ${ended}: ${kind} ${outcome}`
  })
  return [`No order explains the results for ${observations[0]!.key}:`, ...lines].join('\n')
}

function show({ id, name, tag }: StoredPlant): string {
  return `plant ${id} "${name}" "${tag}"`
}
