import { setTimeout as delay } from 'node:timers/promises'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import type { DatabaseServer } from '../shared/daemon.ts'
import { type Random, random } from '../shared/random.ts'
import { type AccidentOptions, type LoadResult, runAccidents } from './load.ts'
import { createFaultyProxy, type FaultyProxy } from './proxy.ts'

/** On a busy machine, a new connection may be silent for half of this too. */
export const SILENCE_MS = 3000

/** What differs between the databases whose servers have accidents. */
export interface Database<Server extends DatabaseServer> {
  readonly protocol: 'postgres' | 'mysql'
  /** Opens a storage on a server. Connections that are silent for `SILENCE_MS` are dropped, as the guide says. */
  connect(connection: DatabaseServer['connection']): {
    storage: PlantStorage & { migrate(): Promise<void> }
    end(): Promise<unknown>
  }
  /** Creates and starts a server. */
  create(): Promise<Server>
  /** What happens to it beside `ACCIDENTS`. */
  readonly accidents: readonly Accident<Server>[]
  /** Creates and starts a server that acknowledges, once it has a standby, only what the standby has too. */
  createPrimary(): Promise<Server>
  /** Creates the standby of a primary that is stopped, which it reaches at this address. */
  createStandby(primary: Server, address: FaultyProxy['address']): Promise<Server>
  /** Lets a primary that has been started again acknowledge what its standby has. */
  attach(primary: Server, standby: Server, address: FaultyProxy['address']): Promise<unknown>
  /** Makes a standby a primary, whose own primary is dead. */
  promote(standby: Server): Promise<unknown>
}

/** What is done to a server, or to the proxy in front of it. It accepts calls again afterwards. */
type Accident<Server> = (server: Server, dice: Random, proxy: FaultyProxy) => unknown

/** What may happen to any database. */
const ACCIDENTS: Accident<DatabaseServer>[] = [
  // Of a call each: the connection breaks between its commit and the reply.
  (_server, _dice, proxy) => proxy.swallowReplies(8),
  (_server, _dice, proxy) => proxy.silence(),
  (server) => server.kill().then(server.start),
  (server) => server.stop().then(server.start),
]

/** Puts a server, and the way to it, through one accident after another. */
export async function causeAccidents<Server extends DatabaseServer>(
  { protocol, create, connect, accidents }: Database<Server>,
  options: AccidentOptions,
): Promise<LoadResult> {
  const dice = random(options.seed)
  const server = await create()
  const proxy = await createFaultyProxy(server.connection.port, protocol)
  const { storage, end } = connect({ ...server.connection, ...proxy.address })
  const all = [...accidents, ...ACCIDENTS]
  try {
    await migrate(storage)
    return await runAccidents(
      storage,
      options,
      async (count) => await all[count % all.length]!(server, dice, proxy),
    )
  } finally {
    // Before the pool, which waits for calls in progress.
    await server.remove()
    await proxy.close()
    await end()
  }
}

/** Creates the table. On a busy machine, servers that have just started may be silent for longer than `SILENCE_MS`. */
async function migrate(storage: { migrate(): Promise<void> }): Promise<void> {
  try {
    await storage.migrate()
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
    await migrate(storage)
  }
}

/** Kills a primary and promotes its standby, which gets a standby of its own, and so on. */
export async function failOver<Server extends DatabaseServer>(
  database: Database<Server>,
  options: AccidentOptions,
): Promise<LoadResult> {
  const { protocol, connect, createPrimary, createStandby, attach, promote } = database
  const dice = random(options.seed)
  let primary = await createPrimary()
  let standby: Server | undefined
  const toPrimary = await createFaultyProxy(primary.connection.port, protocol)
  const toService = await createFaultyProxy(primary.connection.port, protocol)
  const { storage, end } = connect({ ...primary.connection, ...toService.address })

  async function addStandby(): Promise<void> {
    // Until it waits for its standby, nobody may reach the primary.
    toService.connectTo(undefined)
    await primary.stop()
    standby = await createStandby(primary, toPrimary.address)
    toPrimary.connectTo(primary.connection.port)
    await Promise.all([primary.start(), standby.start()])
    await attach(primary, standby, toPrimary.address)
    toService.connectTo(primary.connection.port)
  }

  async function replacePrimary(): Promise<void> {
    if (dice.below(2) === 0) {
      // From now on the primary must not acknowledge any commit.
      toPrimary.connectTo(undefined)
      toPrimary.cut()
      await delay(dice.below(200))
    }
    toService.connectTo(standby!.connection.port)
    // Processes of PostgreSQL that lose their first one stop waiting for the standby, and show their commits to the others.
    toService.cut()
    await primary.kill()
    // Until the standby is promoted, it refuses writes.
    await delay(dice.below(100))
    await promote(standby!)
    await primary.remove()
    primary = standby!
    standby = undefined
  }

  try {
    await migrate(storage)
    await addStandby()
    return await runAccidents(storage, options, async () => {
      await replacePrimary()
      await addStandby()
    })
  } finally {
    await Promise.all([primary.remove(), standby?.remove()])
    await end()
    await Promise.all([toService.close(), toPrimary.close()])
  }
}
