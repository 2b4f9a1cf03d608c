import SwaggerClient from 'swagger-client'
import { openApiDocument } from '../../src/openapi.ts'
import type { MakeClient } from './clients.ts'

export const swaggerClient: MakeClient = async (baseUrl, token) => {
  const client = await new SwaggerClient({
    spec: openApiDocument({ servers: [{ url: baseUrl }] }),
    authorizations: { bearerAuth: { value: token } },
  })
  const { createPlant, deletePlant, listPlants } = client.apis.plants

  return {
    create: (requestBody) => toAnswer(createPlant({}, { requestBody })),
    list: (query) => toAnswer(listPlants(query)),
    delete: (id) => toAnswer(deletePlant({ id })),
  }
}

async function toAnswer(call: Promise<any>) {
  // Calls reject unless the status is 2xx.
  const { status, body, headers } = await call.catch(({ response }) => response)
  return { status, body: status === 204 ? undefined : body, link: headers.link ?? null }
}
