import { createHook } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { staticTokens } from '../../src/auth/tokens.ts'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { createPlantStore, type PlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { filledStorage } from './filled-storage.ts'
import { owners, verify } from './servers/contract.ts'
import type { Address } from './servers.ts'

/** The process of one server: server-process.ts <module of servers/>[#export] <storage>:<place> [variant of the store] */
const [server, storage, variant = ''] = process.argv.slice(2)
const [module, start = 'listen'] = server!.split('#')
const [engine, place = ''] = storage!.split(/:(.*)/s)

const storages: Record<string, () => PlantStorage> = {
  /** With so many plants. */
  memory: () => filledStorage(Number(place)),
  /** 5 001 plants, and each call answered after so many ms. */
  after: () => delayed(filledStorage(5001), () => delay(Number(place))),
  slow,
}

function delayed(storage: PlantStorage, wait: () => Promise<void>): PlantStorage {
  return {
    create: (owner, plant) => wait().then(() => storage.create(owner, plant)),
    list: (owner, query) => wait().then(() => storage.list(owner, query)),
    delete: (owner, id) => wait().then(() => storage.delete(owner, id)),
  }
}

/** The others are imported late, since Bun has no node:sqlite. */
const openDatabase = async () =>
  (await import('./database-storages.ts')).databaseStorages[engine!]!(place)

/** A database with a pool: so many calls at once, each for so many ms. The rest wait for their turn. */
function slow(): PlantStorage {
  const [pool, ms] = place.split(':').map(Number) as [number, number]
  const connections: Promise<void>[] = Array(pool).fill(Promise.resolve())
  let calls = 0
  function turn(): Promise<void> {
    // All calls take as long, so the connection that is free next is the next one.
    const next = calls++ % pool
    connections[next] = connections[next]!.then(() => delay(ms))
    return connections[next]
  }
  return { ...delayed(memoryStorage(), turn), maxConcurrentCalls: pool }
}

/**
 * Keeps the object of one `process.nextTick()`, and so its hidden classes. Once a full GC has collected them, each call
 * takes four times as long: a tenth of a request in all. In one process of ten, the start causes such a GC.
 */
const kept: object[] = []
const init = (_id: number, type: string, _trigger: number, tick: object) => {
  if (type === 'TickObject') kept.push(tick)
}
const hook = createHook({ init }).enable()
process.nextTick(() => {})
hook.disable()

/** For lists, if the server wants another token than the usual one. */
let token: string | undefined

async function createStore(storage: PlantStorage): Promise<PlantStore> {
  if (variant === 'protected' || variant === 'unprotected') {
    const limit = variant === 'unprotected' && { maxConcurrentCalls: Number.POSITIVE_INFINITY }
    return createPlantStore(storage, (owner) => ({ owner }), { onError() {}, ...limit })
  }
  return createPlantStore(storage, variant ? await createVerifier() : verify)
}

/** Static tokens, or JWTs of an algorithm beside the tokens that every server knows. */
async function createVerifier(): Promise<AuthVerifier> {
  if (variant === 'static') return staticTokens(Object.fromEntries(owners))
  // Imported late: the servers that are measured have no test runner in them.
  const { AUDIENCE, ISSUER, makeKey, sign } = await import('../src/auth/issuer.ts')
  const { jwtVerifier } = await import('../../src/auth/jwt.ts')
  const signer = await makeKey(variant, 'k')
  token = await sign(signer, { sub: 'reader' })
  const jwks = { keys: [signer.jwk] }
  const verifyJwt = jwtVerifier({ jwks, issuer: ISSUER, audience: AUDIENCE })
  return (token, context) => (token.includes('.') ? verifyJwt(token, context) : verify(token))
}

const plants = await (storages[engine!] ?? openDatabase)()
const isStore = start === 'serve' || start === 'mount'
const started = await import(`./servers/${module}.ts`)
const port: number = await started[start](isStore ? await createStore(plants) : plants)

answerParent({
  address: (): Address => ({ port, token }),
  /** How much the old generation holds, in bytes. */
  oldGeneration: () =>
    getHeapSpaceStatistics()
      .filter(({ space_name }) => space_name.startsWith('old') || space_name.startsWith('large'))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0),
  collectGarbage: () => globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
})
