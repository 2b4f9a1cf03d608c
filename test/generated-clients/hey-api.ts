import type { MakeClient } from './clients.ts'
import { createClient } from './generated/hey-api/client/index.ts'
import * as operations from './generated/hey-api/index.ts'

export const heyApi: MakeClient = async (baseUrl, token) => {
  const client = createClient({ baseUrl, auth: token })

  return {
    create: async (body) => toAnswer(await operations.createPlant({ client, body })),
    list: async (query) => toAnswer(await operations.listPlants({ client, query })),
    delete: async (id) => toAnswer(await operations.deletePlant({ client, path: { id } })),
  }
}

function toAnswer(result: { data?: unknown; error?: operations.Error; response?: Response }) {
  const { data, error, response } = result
  if (!response) throw error
  return {
    status: response.status,
    body: response.status === 204 ? undefined : (data ?? error),
    link: response.headers.get('link'),
  }
}
