// The plant store as a server of its own, on SQLite:
//
//   npm start        (that is: node examples/node-server.ts, with Node 24 or newer)
//
// Set PORT, HOST, PLANT_STORE_DB (a file, or :memory:) and PLANT_STORE_TOKENS
// (token=owner[,token=owner…]) as you need them. In a project of your own, import from 'plant-store',
// 'plant-store/node', 'plant-store/auth/tokens' and 'plant-store/storage/sqlite'.
import { resolve } from 'node:path'
import { serve } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore, type PlantStore } from '../src/index.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'
import { withApiDocs } from './api-docs.ts'

const DEMO_TOKENS = { 'demo-token': 'demo' }

try {
  await start()
} catch (error) {
  console.error(`The plant store can't start: ${(error as Error).message}`)
  process.exitCode = 1
}

async function start() {
  const port = readPort(process.env.PORT || '3000')
  const host = process.env.HOST || '127.0.0.1'
  const file = process.env.PLANT_STORE_DB || 'plants.db'
  const tokens = readTokens(process.env.PLANT_STORE_TOKENS, host)

  const store = createPlantStore(sqliteStorage(file), staticTokens(tokens ?? DEMO_TOKENS))
  // Everybody knows the demo token, so the API page may; it knows no other.
  const documented = withApiDocs(store, { token: tokens ? undefined : 'demo-token' })
  const { url } = await serve(logged(documented), { port, hostname: host })

  console.log(`Plant store listening on ${url}`)
  console.log(`Storage: ${file === ':memory:' ? 'memory, gone with the process' : resolve(file)}`)
  console.log(`API page: ${url}/docs`)
  console.log(
    `Try: curl -H 'Authorization: Bearer ${tokens ? '<token>' : 'demo-token'}' ${url}/plants`,
  )
}

/** One line a request, without what may be secret: headers, query and body. */
function logged(store: PlantStore): PlantStore {
  return {
    ...store,
    async handle(request) {
      const start = performance.now()
      const reply = await store.handle(request)
      // Not by way of a URL: the path // is none.
      const [path] = request.url.split('?', 1)
      const ms = (performance.now() - start).toFixed(1)
      console.log(`${request.method} ${path} ${reply?.status ?? 404} ${ms} ms`)
      return reply
    },
  }
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new Error(`PORT must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`)
}

/** The owner of each token; undefined where the demo token, which everybody knows, will do. */
function readTokens(text: string | undefined, host: string): Record<string, string> | undefined {
  if (!text) {
    if (/^(?:localhost|::1|127(?:\.\d+){3})$/.test(host)) return undefined
    throw new Error(
      `HOST ${host} can be reached by others, so set PLANT_STORE_TOKENS=token=owner[,token=owner…]`,
    )
  }
  const pairs = text.split(',').map((entry, index): [string, string] => {
    // A token68 may end in =, so an owner has none here.
    const [, token, owner] = /^([\w\-.~+/]+=*)=([^=]+)$/.exec(entry.trim()) ?? []
    if (token && owner) return [token, owner]
    throw new Error(
      `PLANT_STORE_TOKENS must be token=owner[,token=owner…]; entry ${index + 1} isn't`,
    )
  })
  const tokens = Object.fromEntries(pairs)
  if (Object.keys(tokens).length === pairs.length) return tokens
  throw new Error('PLANT_STORE_TOKENS has one token twice')
}
