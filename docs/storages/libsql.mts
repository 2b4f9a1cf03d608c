import { createClient } from '@libsql/client'
import { StorageUnavailableError } from 'plant-store'
import { d1Storage } from 'plant-store/storage/d1'

// A request to Turso ends with its call. Other databases need one client for all calls.
export const onLibsql = d1Storage((call) => {
  const abortable = (request: Request) => fetch(request, { signal: call?.signal ?? null })
  const libsql = createClient({ url, authToken, fetch: abortable })
  return {
    prepare: (sql) => ({
      bind: (...args) => ({
        async all() {
          const { rows } = await libsql.execute({ sql, args }).catch((cause: any) => {
            if (/^SQLITE_(?!BUSY)/.test(cause.code)) throw cause
            throw new StorageUnavailableError('libSQL did not answer', { cause })
          })
          return { results: rows as any[] }
        },
      }),
    }),
  }
})
export const onHandle = d1Storage({
  prepare: (sql) => ({
    bind: (...values) => ({
      all: async () => ({ results: handle.prepare(sql).all(...values) as any[] }),
    }),
  }),
})
