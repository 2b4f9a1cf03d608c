import {
  fromNodeHandler,
  getValidatedQuery,
  getValidatedRouterParams,
  H3,
  type H3Event,
  noContent,
  readValidatedBody,
  serve,
} from 'h3'
import type { ErrorName } from '../../../src/errors.ts'
import type { MapStorage } from '../map-storage.ts'
import { importBuilt } from '../own.ts'
import * as contract from './contract.ts'
import { createStore } from './plant-store.ts'
import { ListQuery, NewPlant, PlantPath, queryFailure } from './zod-schemas.ts'

/** h3 v2 on its own server, with zod in its validating readers. */
export async function listen(storage: MapStorage): Promise<number> {
  const app = new H3({
    silent: true,
    onError({ cause, status }) {
      const name = cause instanceof contract.Failure ? cause.errorName : failureOf(status)
      return Response.json(contract.errorBody(name), {
        status: contract.statusOf(name),
        headers: {
          ...contract.EVERY_REPLY,
          ...(contract.statusOf(name) === 401 && contract.CHALLENGE),
        },
      })
    },
  })

  app.use((event) => {
    event.context.owner = contract.authenticate(event.req.headers.get('authorization'))
    event.res.headers.set('x-content-type-options', contract.EVERY_REPLY['x-content-type-options'])
    event.res.headers.set('cache-control', contract.EVERY_REPLY['cache-control'])
  })

  app.get('/plants', async (event) => {
    const { limit, cursor: after } = await getValidatedQuery(event, ListQuery, {
      onError(result) {
        throw new contract.Failure(queryFailure(result))
      },
    })
    const { page, link } = contract.toPage(
      storage.list(ownerOf(event), { after, limit: limit + 1 }),
      limit,
    )
    if (link) event.res.headers.set('link', link)
    return page.map(contract.toPlant)
  })

  app.post('/plants', async (event) => {
    if (!event.req.headers.get('content-type')?.startsWith('application/json')) {
      throw new contract.Failure('unsupported_media_type')
    }
    const { id, name, tag } = await readValidatedBody(event, NewPlant, {
      onError() {
        throw new contract.Failure('invalid_plant')
      },
    })
    if (!storage.create(ownerOf(event), { id: BigInt(id), name, tag })) {
      throw new contract.Failure('duplicate_id')
    }
    return { name, tag }
  })

  app.delete('/plants/:id', async (event) => {
    const { id } = await getValidatedRouterParams(event, PlantPath, {
      onError() {
        throw new contract.Failure('invalid_id')
      },
    })
    if (!storage.delete(ownerOf(event), id)) throw new contract.Failure('plant_not_found')
    return noContent()
  })

  return start(app, { maxRequestBodySize: contract.MAX_BODY_BYTES })
}

/** The plant store in h3, as adapters/README.md mounts it on Node. */
export async function mount(storage: MapStorage): Promise<number> {
  const { toNodeHandler } = await importBuilt('adapters/node.ts')
  const plants = toNodeHandler(await createStore(storage))
  const app = new H3()
  app.all(
    '/**',
    fromNodeHandler((request, response, _next) => plants(request, response)),
  )
  return start(app)
}

async function start(app: H3, options: { maxRequestBodySize?: number } = {}): Promise<number> {
  const server = serve(app, { hostname: '127.0.0.1', port: 0, silent: true, ...options })
  await server.ready()
  return Number(new URL(server.url!).port)
}

function ownerOf(event: H3Event): string {
  return event.context.owner as string
}

/** The failure that one of h3's own errors is. */
function failureOf(status: number): ErrorName {
  if (status === 413) return 'body_too_large'
  return status === 400 ? 'malformed_json' : 'internal'
}
