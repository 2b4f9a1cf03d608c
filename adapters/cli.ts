#!/usr/bin/env node
/** The command: the plant store as a server of its own. `npx plant-store --help` lists the options. */
import { resolve } from 'node:path'
import process from 'node:process'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { memoryStorage } from '../src/storage/memory.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'
import { hasApiDocs, withApiDocs } from './cli/api-docs.ts'
import { HELP } from './cli/help.ts'
import { explainListenError } from './cli/listen-error.ts'
import { localOnly } from './cli/local-only.ts'
import { assertNode } from './cli/node-version.ts'
import { packageVersion } from './cli/package-file.ts'
import { withProbes } from './cli/probes.ts'
import { logRequest } from './cli/request-log.ts'
import { seededStorage } from './cli/seed.ts'
import { DEMO_TOKEN, readSettings, type Settings } from './cli/settings.ts'
import { serve } from './node.ts'

try {
  assertNode(process.versions.node)
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings === 'help') console.log(HELP)
  else if (settings === 'version') console.log(await packageVersion())
  else await startServer(settings)
} catch (error) {
  console.error(`The plant store can't start: ${(error as Error).message}`)
  process.exitCode = 1
}

async function startServer({ port, hostname, db, tokens, cors, seed }: Settings): Promise<void> {
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
