// A Worker with the storages that need one. It runs the contract's tests on them, and makes them available
// to tests outside, for which each call of a storage is a request.

import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'
import { type D1, d1Storage } from '../../src/storage/d1.ts'
import {
  type DurableObjectStateWithSql,
  type DurableObjects,
  durableObjectStorage,
  PlantsOfOwner,
} from '../../src/storage/durable-objects.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { testsOf } from '../shared/tests-of.ts'
import { read, write } from './workerd-call.ts'

interface Env {
  DATABASE: D1
  UNREACHABLE_DATABASE: D1
  OBJECTS: DurableObjects
}

export class PlantsObject extends PlantsOfOwner {
  readonly #state: DurableObjectStateWithSql & {
    storage: { deleteAll?(): Promise<void> }
    abort?(): void
  }

  constructor(state: DurableObjectStateWithSql, env: unknown) {
    super(state, env)
    this.#state = state
    state.storage.sql.exec('CREATE TABLE IF NOT EXISTS deleted (id INTEGER)')
    // A soft delete of the app.
    state.storage.sql.exec(`CREATE TRIGGER IF NOT EXISTS keep BEFORE DELETE ON plants WHEN OLD.owner = 'keeper'
      BEGIN INSERT INTO deleted VALUES (OLD.id); SELECT RAISE(IGNORE); END`)
    state.storage.sql.exec(`CREATE TRIGGER IF NOT EXISTS refuse BEFORE INSERT ON plants WHEN NEW.owner = 'refused'
      BEGIN SELECT RAISE(ABORT, 'quota exceeded'); END`)
  }

  override delete(owner: string, id: bigint): boolean {
    if (owner === 'reset') this.#state.abort!()
    if (owner === 'emptied') return this.#state.storage.deleteAll!().then(() => true) as never
    return super.delete(owner, id)
  }

  override list(owner: string, query: PageQuery) {
    if (owner === 'reset by a list') this.#state.abort!()
    return super.list(owner, query)
  }
}

const storages = {
  d1: ({ DATABASE }: Env) => d1Storage(DATABASE),
  'unreachable d1': ({ UNREACHABLE_DATABASE }: Env) => d1Storage(UNREACHABLE_DATABASE),
  'durable-objects': ({ OBJECTS }: Env) => durableObjectStorage(OBJECTS),
  'durable-objects without binding': () => durableObjectStorage(undefined as any),
}

const emptyStorages = {
  async d1({ DATABASE }: Env) {
    await DATABASE.prepare('DELETE FROM plants').bind().all()
    return d1Storage(DATABASE)
  },
  'durable-objects'({ OBJECTS }: Env) {
    const time = crypto.randomUUID()
    return durableObjectStorage({
      idFromName: (name) => OBJECTS.idFromName(`${time} ${name}`),
      get: (id) => OBJECTS.get(id),
    })
  },
}

/** A storage, a method and its parameters. */
export type Call = [keyof typeof storages, keyof PlantStorage, ...values: unknown[]]
/** A storage, and a test of the contract with so many plants. */
export type Rule = [keyof typeof emptyStorages, rule: string, manyPlants: number]

async function call(env: Env, [name, method, ...values]: Call): Promise<unknown> {
  const storage: any = storages[name](env)
  return storage[method](...values)
}

async function check(env: Env, [name, rule, manyPlants]: Rule): Promise<void> {
  const open = () => emptyStorages[name](env)
  const tests = testsOf((framework) => testPlantStorage(framework, open, { manyPlants }))
  await tests.find(({ title }) => title === rule)!.run()
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const asked = read(await request.text()) as any
    try {
      const answer = new URL(request.url).pathname === '/call' ? call : check
      return new Response(write(await answer(env, asked)))
    } catch (error) {
      const { name, message } = error as Error
      return new Response(write({ name, message }), { status: 500 })
    }
  },
}
