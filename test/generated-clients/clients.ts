import createFetchClient from 'openapi-fetch'
import { createClient } from './generated/hey-api/client/index.ts'
import * as operations from './generated/hey-api/index.ts'
import type { paths } from './generated/openapi-types.ts'

/** What the calls of both generators resolve to. */
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
