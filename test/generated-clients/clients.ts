import createFetchClient from 'openapi-fetch'
import { createClient } from './generated/hey-api/client/index.ts'
import * as operations from './generated/hey-api/index.ts'
import type { paths } from './generated/openapi-types.ts'
import { createClient as createPublishedClient } from './generated/published/client/index.ts'
import * as published from './generated/published/index.ts'

/** What the calls of all clients resolve to. */
interface Result {
  data?: unknown
  error?: unknown
  response?: Response
}

/** The three operations of a client for the store at `baseUrl`, in one form for the test. */
export const clients = {
  openapiFetch(baseUrl: string, token: string) {
    const headers = { authorization: `Bearer ${token}` }
    const client = createFetchClient<paths>({ baseUrl, headers })
    return {
      create: (body: Plant) => answerOf(client.POST('/plants', { body })),
      list: (query?: Query) => answerOf(client.GET('/plants', { params: { query } })),
      delete: (id: number) => answerOf(client.DELETE('/plants/{id}', { params: { path: { id } } })),
    }
  },
  heyApi(baseUrl: string, token: string) {
    const client = createClient({ baseUrl, auth: token })
    return {
      create: (body: Plant) => answerOf(operations.createPlant({ client, body })),
      list: (query?: Query) => answerOf(operations.listPlants({ client, query })),
      delete: (id: number) => answerOf(operations.deletePlant({ client, path: { id } })),
    }
  },
  /**
   * Documentation sites carry a description of a Plant Store of the shape that published-description.json has, with texts of
   * our own. It doesn't know cursors.
   */
  published(baseUrl: string, token: string) {
    const client = createPublishedClient({ baseUrl, auth: token })
    return {
      create: (body: Plant) => answerOf(published.postPlants({ client, body })),
      list: (query?: Query) => answerOf(published.getPlants({ client, query })),
      delete: (id: number) => answerOf(published.deletePlantsById({ client, path: { id } })),
    }
  },
}

type Plant = { id: number; name: string; tag?: string }
type Query = { limit?: number; cursor?: string }

async function answerOf(call: Promise<Result>) {
  const { data, error, response } = await call
  if (!response) throw error
  const { status, headers } = response
  // hey-api takes no body for {}.
  return { status, body: status === 204 ? undefined : (data ?? error), link: headers.get('link') }
}
