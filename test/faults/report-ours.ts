import { once } from 'node:events'
import type { PlantStorage } from '../../src/plant-storage.ts'

/**
 * In one of several processes on one database: creates all plants, then deletes them on command. Tells the parent of
 * which plants it was the one.
 */
export async function reportWhatIsOurs(storage: PlantStorage, name: string): Promise<void> {
  const ids = Array.from({ length: 200 }, (_, id) => BigInt(id))
  async function idsWhere(call: (id: bigint) => unknown): Promise<string[]> {
    const answers = await Promise.all(ids.map(call))
    return ids.filter((_, index) => answers[index]).map(String)
  }
  process.send!(await idsWhere((id) => storage.create('alice', { id, name: `of ${name}` })))
  await once(process, 'message')
  process.send!(await idsWhere((id) => storage.delete('alice', id)))
}
