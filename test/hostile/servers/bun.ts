import { serve } from '../../../adapters/bun.ts'
import type { PlantStore } from '../../../src/index.ts'

export async function listen(store: PlantStore): Promise<number> {
  return (await serve(store, { port: 0, graceMs: 500 })).port
}
