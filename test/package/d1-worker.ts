import { toWorker } from '../../adapters/workers.ts'
import { createPlantStore } from '../../src/index.ts'
import { type D1, d1Storage } from '../../src/storage/d1.ts'

/** A whole Worker, whose size is measured: the core and D1. The token check is the Worker's own. */
export default toWorker((env: { PLANTS: D1; TOKEN: string }) =>
  createPlantStore(d1Storage(env.PLANTS), (token) =>
    token === env.TOKEN ? { owner: 'me' } : null,
  ),
)
