import { resolve } from 'node:path'
import { staticTokens } from '../../src/auth/tokens.ts'
import {
  createPlantStore,
  type IncomingRequest,
  type PlantStorage,
  type Reply,
} from '../../src/index.ts'
import { type SqliteStorage, sqliteStorage } from '../../src/storage/sqlite.ts'
import { serve } from '../node.ts'
import { serveDocument } from './documents.ts'
import { assertLocalHost, refuseOthers } from './local-only.ts'
import { createMock, serveMock } from './mock.ts'
import { logReply } from './request-log.ts'
import { seededStorage } from './seed.ts'
import { DEMO_TOKEN, type Settings } from './settings.ts'

/** Starts the server, and prints how to call it. */
export async function startServer(settings: Settings): Promise<void> {
  const { port, hostname, db, tokens, cors, mock, delayMs } = settings
  if (!tokens) assertLocalHost(hostname)
  const callers = tokens ?? { [DEMO_TOKEN]: 'demo' }
  const memory =
    db === ':memory:' ? await seededStorage(settings.seed, Object.values(callers)) : undefined
  const storage = memory ?? openFile(settings)
  const options = cors ? { cors: { origin: '*' as const } } : {}
  const store = createPlantStore(storage, staticTokens(callers), options)
  const answer =
    mock && memory
      ? createMock(store, { delayMs, cors, callers, resetOwner: memory.reset })
      : (request: IncomingRequest) => store.handle(request)

  async function handle(request: IncomingRequest, cut = () => {}): Promise<Reply> {
    const start = performance.now()
    // The demo token is public, so the page may start with it.
    const document = await serveDocument(request, tokens ? '' : DEMO_TOKEN)
    const unlogged = document ?? (await serveProbe(request, storage))
    if (unlogged) return unlogged
    const refusal = tokens ? undefined : refuseOthers(request)
    const reply = refusal ?? (await answer(request, cut)) ?? (await store.notFound(request))
    return logReply(request, reply, start)
  }
  const listen = mock ? serveMock : serve
  const { url } = await listen({ ...store, handle }, { port, hostname }).catch(async (error) => {
    await store.close()
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `port ${port} of ${hostname} is in use. Stop the program that uses it, or choose another port, for example --port ${port + 1}`,
    )
  })
  introduce(url, settings)
}

/**
 * Answers the probes of Kubernetes and others: GET and HEAD of `/livez` are 200 while the process responds, and those of
 * `/readyz` while the storage does.
 */
async function serveProbe(
  { method, url }: IncomingRequest,
  storage: PlantStorage,
): Promise<Reply | undefined> {
  const isProbe = url === '/livez' || url === '/readyz'
  if (!isProbe || !/^(?:GET|HEAD)$/.test(method)) return undefined
  const headers = { 'cache-control': 'no-store' }
  try {
    if (url === '/readyz') await storage.list('readyz', { limit: 1 })
    return { status: 200, headers, body: null }
  } catch {
    return { status: 503, headers, body: null }
  }
}

function openFile({ db, table }: Settings): SqliteStorage {
  try {
    return sqliteStorage(db, { table })
  } catch (error) {
    // Its advice names the option of the function.
    const advice = (error as Error).message
      .replace(/pass \{ table: '(\w+)' \}/, 'start with --table $1')
      .replace(/Choose another table with the option \{ table \}/, 'Start with another --table')
    throw new Error(advice, { cause: error })
  }
}

function introduce(listening: string, { db, tokens, mock }: Settings): void {
  // An address that stands for all interfaces is not one that every system can connect to.
  const url = listening.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')
  const lines = [
    `Plant store listening on ${listening}`,
    `Storage: ${db === ':memory:' ? 'memory, gone with the process' : resolve(db)}`,
    `Page to try it: ${url}`,
    ...(mock
      ? ['Mock: send Prefer: code=503 or plant-store=applied-cut, or POST /mock/reset']
      : []),
    `Try: curl -H 'Authorization: Bearer ${tokens ? '<token>' : DEMO_TOKEN}' ${url}/plants`,
  ]
  // One write, so that a program that waits for the first line gets them all.
  console.log(lines.join('\n'))
}
