import createClient from 'openapi-fetch'
import type { MakeClient } from './clients.ts'
import type { components, paths } from './generated/openapi-types.ts'

export const openapiFetch: MakeClient = async (baseUrl, token) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })

  return {
    create: async (body) => toAnswer(await client.POST('/plants', { body })),
    list: async (query) => toAnswer(await client.GET('/plants', { params: { query } })),
    delete: async (id) =>
      toAnswer(await client.DELETE('/plants/{id}', { params: { path: { id } } })),
  }
}

function toAnswer(result: {
  data?: components['schemas']['Plant'] | components['schemas']['Plant'][]
  error?: components['schemas']['Error']
  response: Response
}) {
  const { data, error, response } = result
  return { status: response.status, body: data ?? error, link: response.headers.get('link') }
}
