#!/usr/bin/env node
/**
 * The plant store as a server of its own, on SQLite: `npm start` here, and `npx plant-store` elsewhere.
 * `--help` lists the options.
 *
 * In a project of your own, import from 'plant-store', 'plant-store/node', 'plant-store/auth/tokens' and
 * 'plant-store/storage/sqlite'.
 */
import { resolve } from 'node:path'
import process from 'node:process'
import { serve } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { memoryStorage } from '../src/storage/memory.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'
import { hasApiDocs, withApiDocs } from './api-docs.ts'
import { HELP } from './node-server/help.ts'
import { explainListenError } from './node-server/listen-error.ts'
import { localOnly } from './node-server/local-only.ts'
import { assertNode } from './node-server/node-version.ts'
import { withProbes } from './node-server/probes.ts'
import { logRequest } from './node-server/request-log.ts'
import { seededStorage } from './node-server/seed.ts'
import { DEMO_TOKEN, readSettings, type Settings } from './node-server/settings.ts'
import { packageVersion } from './node-server/version.ts'

try {
  assertNode(process.versions.node)
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings === 'help') console.log(HELP)
  else if (settings === 'version') console.log(await packageVersion())
  else await start(settings)
} catch (error) {
  console.error(`The plant store can't start: ${(error as Error).message}`)
  process.exitCode = 1
}

async function start({ port, hostname, db, tokens, cors, seed }: Settings): Promise<void> {
  const inMemory = db === ':memory:'
  const callers = tokens ?? { [DEMO_TOKEN]: 'demo' }
  const withoutSeed = () => (inMemory ? memoryStorage() : sqliteStorage(db))
  const owners = Object.values(callers)
  const storage = seed === undefined ? withoutSeed() : await seededStorage(seed, owners)
  const store = createPlantStore(storage, staticTokens(callers), {
    onResponse: logRequest,
    ...(cors && { cors: { origin: '*' } }),
  })
  // Everybody knows the demo token, so the API page may start with it.
  const documented = withApiDocs(store, { token: tokens ? undefined : DEMO_TOKEN })
  const whole = withProbes(documented, storage)
  const server = await serve(tokens ? whole : localOnly(whole), { port, hostname }).catch(
    async (error) => {
      await store.close()
      throw explainListenError(error, { port, hostname })
    },
  )

  // An address that stands for all interfaces is not one that every system can connect to.
  const url = server.url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')
  const hasPage = hasApiDocs()
  if (hasPage) console.log(`API page: ${url}/docs`)
  console.log(`Plant store listening on ${server.url}`)
  console.log(`Storage: ${inMemory ? 'memory, gone with the process' : resolve(db)}`)
  if (!hasPage) {
    console.log('API page: not available; to have it, install swagger-ui-dist beside plant-store')
  }
  console.log(
    `Try: curl -H 'Authorization: Bearer ${tokens ? '<token>' : DEMO_TOKEN}' ${url}/plants`,
  )
}
