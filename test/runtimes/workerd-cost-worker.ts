// A Worker that runs creates, or lists of ten plants, on a storage or on the same engine without one.

/// <reference path="../../src/storage/cloudflare/workers.d.ts" />
import { DurableObject } from 'cloudflare:workers'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { type D1, d1Storage } from '../../src/storage/d1.ts'
import {
  type DurableObjectStateWithSql,
  type DurableObjects,
  durableObjectStorage,
} from '../../src/storage/durable-objects.ts'
import { createTableStatement, sqliteStatements } from '../../src/storage/sqlite/statements.ts'

const statements = sqliteStatements('plants')

export { PlantsOfOwner } from '../../src/storage/durable-objects.ts'

interface Env {
  DATABASE: D1
  OBJECTS: DurableObjects
  BARE_OBJECTS: { idFromName(name: string): unknown; get(id: unknown): PlantStorage }
}

export class BareObject extends DurableObject {
  readonly #sql: any

  constructor(ctx: DurableObjectStateWithSql, env: unknown) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(createTableStatement())
  }

  create(owner: string, { id, name }: { id: bigint; name: string }) {
    this.#sql.exec(statements.insert, owner, String(id), name, null)
    return true
  }

  list(owner: string, { limit }: { limit: number }) {
    return this.#sql.exec(statements.listFromStart, owner, limit).toArray()
  }
}

const OWNER = 'alice'

const subjects: Record<string, (env: Env) => Pick<PlantStorage, 'create' | 'list'>> = {
  'd1 storage': ({ DATABASE }) => d1Storage(DATABASE),
  'd1 bare': ({ DATABASE }) => ({
    create: (owner, { id, name }) =>
      DATABASE.prepare(statements.insert)
        .bind(owner, String(id), name, null)
        .all()
        .then(() => true),
    list: (owner, { limit }) =>
      DATABASE.prepare(statements.listFromStart)
        .bind(owner, limit)
        .all<never>()
        .then(({ results }) => results),
  }),
  'durable-objects storage': ({ OBJECTS }) => durableObjectStorage(OBJECTS),
  'durable-objects bare': ({ BARE_OBJECTS }) => BARE_OBJECTS.get(BARE_OBJECTS.idFromName(OWNER)),
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { subject, work, first, count } = (await request.json()) as any
    const storage = subjects[subject]!(env)
    for (let i = first; i < first + count; i++) {
      if (work === 'create') await storage.create(OWNER, { id: BigInt(i), name: 'Monstera' })
      else await storage.list(OWNER, { limit: 10 })
    }
    return new Response()
  },
}
