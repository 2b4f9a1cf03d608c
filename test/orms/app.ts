import { expect } from 'vitest'
import type { PlantStorage } from '../../src/plant-storage.ts'

/** An app's connection. */
export interface App {
  /** What the guide's line uses. */
  readonly uses: Record<string, unknown>
  /** Does work of the app in a transaction. */
  transaction(work: () => Promise<void>): Promise<unknown>
  close(): Promise<unknown>
}

/** Evaluates a line of a guide, which makes a storage, with the names that it uses. */
export function evaluate<Storage extends PlantStorage>(
  line: string,
  uses: Record<string, unknown>,
): Storage {
  return new Function(...Object.keys(uses), `return ${line}`)(...Object.values(uses))
}

/** Expects a pool of three connections to be replaced when they fall silent. */
export async function expectReplacement(storage: PlantStorage, silence: () => void): Promise<void> {
  const list = async () => storage.list('alice', { limit: 1 })
  const outcome = () =>
    list().then(
      () => 'ok',
      (error) => error.code,
    )
  const outcomes = () => Promise.all([outcome(), outcome(), outcome()])
  expect(await outcomes()).toEqual(['ok', 'ok', 'ok'])
  silence()
  expect(await outcomes()).toContain('storage_unavailable')
  // On a busy machine, a new connection may be silent for so long too.
  await expect.poll(outcomes, { timeout: 30_000 }).toEqual(['ok', 'ok', 'ok'])
}

/** Expects a create to stay that was made while a transaction of the app was open, and was then rolled back. */
export async function expectOwnCommit(
  app: App,
  storage: PlantStorage,
  owner: string,
): Promise<void> {
  const undone = new Error('rolled back')
  const work = async () => {
    expect(await storage.create(owner, { id: 1n, name: 'Fern' })).toBe(true)
    throw undone
  }
  await expect(app.transaction(work)).rejects.toBe(undone)
  expect(await storage.list(owner, { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
}
