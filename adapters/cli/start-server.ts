import { resolve } from 'node:path'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore, type PlantStore } from '../../src/index.ts'
import { type MemoryStorage, memoryStorage } from '../../src/storage/memory.ts'
import type { SqliteStorage } from '../../src/storage/sqlite.ts'
import { serve } from '../node.ts'
import { hasApiPage, withApiPage } from './api-page.ts'
import { withDocuments } from './documents.ts'
import { assertLocalHost, explainListenError } from './listen-error.ts'
import { localOnly } from './local-only.ts'
import { withMock } from './mock.ts'
import { openFile } from './open-file.ts'
import { withProbes } from './probes.ts'
import { logRequest } from './request-log.ts'
import { readSeed, resetOwner, type Seed, seededStorage } from './seed.ts'
import { cutConnection, serveMock } from './serve-mock.ts'
import { DEMO_TOKEN, type Settings } from './settings.ts'

/** Starts the server, and prints how to call it. */
export async function startServer(settings: Settings): Promise<void> {
  const { port, hostname, tokens, cors, mock } = settings
  if (!tokens) await assertLocalHost({ port, hostname })
  const callers = tokens ?? { [DEMO_TOKEN]: 'demo' }
  const seed: Seed = settings.seed === undefined ? {} : await readSeed(settings.seed)
  const storage = storageOf(settings, seed, Object.values(callers))

  let store: PlantStore = createPlantStore(storage, staticTokens(callers), {
    onResponse: logRequest,
    ...(cors && { cors: { origin: '*' } }),
  })
  if (mock) {
    store = withMock(store, {
      chances: mock,
      callers,
      cors,
      // A mock keeps its plants in memory.
      resetOwner: (owner) => resetOwner(storage as MemoryStorage, owner, seed),
      cut: cutConnection,
      log: console.log,
    })
  }
  // Everybody knows the demo token, so the API page may start with it.
  store = withApiPage(store, { token: tokens ? undefined : DEMO_TOKEN })
  store = withProbes(store, storage)
  if (!tokens) store = localOnly(store)
  store = withDocuments(store)
  const listen = mock ? serveMock : serve
  const { url } = await listen(store, { port, hostname }).catch(async (error) => {
    await store.close()
    throw explainListenError(error, { port, hostname })
  })
  introduce(url, settings)
}

function storageOf(
  { db, table, seed: file }: Settings,
  seed: Seed,
  owners: string[],
): MemoryStorage | SqliteStorage {
  if (file !== undefined) return seededStorage(file, seed, owners)
  return db === ':memory:' ? memoryStorage() : openFile(db, table)
}

function introduce(listening: string, { db, tokens, mock }: Settings): void {
  // An address that stands for all interfaces is not one that every system can connect to.
  const url = listening.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')
  const token = tokens ? '<token>' : DEMO_TOKEN
  const page = hasApiPage()
    ? `${url}/docs`
    : 'not available; to have it, install swagger-ui-dist beside plant-store'
  const lines = [
    `Plant store listening on ${listening}`,
    `Storage: ${db === ':memory:' ? 'memory, gone with the process' : resolve(db)}`,
    `API page: ${page}`,
  ]
  if (mock) {
    lines.push(
      'Mock: send Prefer: code=503, example=overloaded or plant-store=applied-503, or POST /mock/reset',
    )
  }
  if (mock && mock.rate > 0) {
    lines.push(
      `Chaos: ${mock.rate * 100}% of the requests; repeat it with --chaos-seed ${mock.seed}`,
    )
  }
  lines.push(`Try: curl -H 'Authorization: Bearer ${token}' ${url}/plants`)
  // One write, so that whoever waits for the first line has the others too.
  console.log(lines.join('\n'))
}
