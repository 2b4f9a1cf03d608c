import { getValidatedQuery, H3, type H3Event, HTTPError, readValidatedBody, serve } from 'h3'
import type { ErrorName } from '../../../src/errors.ts'
import type { MapStorage } from '../map-storage.ts'
import {
  BEARER,
  EVERY_REPLY,
  errorBody,
  MAX_BODY_BYTES,
  nextLink,
  owners,
  statusOf,
} from './contract.ts'
import { ListQuery, NewPlant, queryFailure } from './zod-schemas.ts'

/** h3 v2 on its own server, with zod in its validating readers. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = new H3({
    onError(error) {
      const known = error.data as { errorName?: ErrorName } | undefined
      const name =
        known?.errorName ??
        (error.status === 413
          ? 'body_too_large'
          : error.status === 400
            ? 'malformed_json'
            : 'internal')
      return new Response(JSON.stringify(errorBody(name)), {
        status: statusOf(name),
        headers: {
          'content-type': 'application/json',
          ...EVERY_REPLY,
          ...(statusOf(name) === 401 && { 'www-authenticate': 'Bearer realm="plants"' }),
        },
      })
    },
  })

  app.use((event) => {
    const token = BEARER.exec(event.req.headers.get('authorization') ?? '')?.[1]
    if (token === undefined) throw failure('missing_token')
    const owner = owners.get(token)
    if (owner === undefined) throw failure('invalid_token')
    event.context.owner = owner
    event.res.headers.set('x-content-type-options', EVERY_REPLY['x-content-type-options'])
    event.res.headers.set('cache-control', EVERY_REPLY['cache-control'])
  })

  app.get('/plants', async (event) => {
    const { limit, cursor: after } = await getValidatedQuery(event, ListQuery, {
      onError: (result) => failure(queryFailure(result)),
    })
    const found = storage.list(ownerOf(event), { after, limit: limit + 1 })
    const page = found.slice(0, limit)
    if (found.length > limit && limit > 0) event.res.headers.set('link', nextLink(limit, page))
    return page.map(({ name, tag }) => ({ name, tag }))
  })

  app.post('/plants', async (event) => {
    if (!event.req.headers.get('content-type')?.startsWith('application/json')) {
      throw failure('unsupported_media_type')
    }
    const { id, name, tag } = await readValidatedBody(event, NewPlant, {
      onError: () => failure('invalid_plant'),
    })
    if (!storage.create(ownerOf(event), { id: BigInt(id), name, tag })) {
      throw failure('duplicate_id')
    }
    return { name, tag }
  })

  const server = serve(app, {
    hostname: '127.0.0.1',
    port: 0,
    silent: true,
    maxRequestBodySize: MAX_BODY_BYTES,
  })
  await server.ready()
  return Number(new URL(server.url!).port)
}

function ownerOf(event: H3Event): string {
  return event.context.owner as string
}

function failure(errorName: ErrorName): HTTPError {
  return new HTTPError({ status: statusOf(errorName), data: { errorName } })
}
