import { createSecureServer } from 'node:http2'
import Fastify from 'fastify'
import { describe, it } from 'vitest'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { toNodeHandler } from '../../../adapters/node.ts'
import { testPlantAdapter } from '../../../src/testing.ts'
import { listen } from '../../shared/listen.ts'
import { tls } from './tls.ts'

// Without TLS, it is the same over HTTP/2: http2.test.ts has what differs.
describe('A server of node:http2 with TLS', () => {
  testPlantAdapter(
    { describe, it },
    async (store) => {
      const options = { ...tls, allowHTTP1: true }
      const { url, close } = await listen(createSecureServer(options, toNodeHandler(store)))
      return { url, stop: close }
    },
    {
      versions: ['2', '1.1', '1.0'],
      limits: {
        'truncated-list over HTTP/1.0':
          'only TLS’s close_notify is missing, and Node’s client ignores that',
      },
    },
  )
})

// Each of these options would change answers, if the plugin let it.
const OPTIONS_OF_FASTIFY = {
  bodyLimit: 1,
  exposeHeadRoutes: false,
  routerOptions: {
    maxParamLength: 3,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    caseSensitive: false,
  },
}

describe('Fastify with http2', () => {
  testPlantAdapter(
    { describe, it },
    async (store) => {
      const app = Fastify({ http2: true, ...OPTIONS_OF_FASTIFY })
      app.register(toFastifyPlugin(store))
      return { url: await app.listen({ port: 0 }), stop: () => app.close() }
    },
    {
      versions: ['2'],
      limits: {
        'malformed-percent-encoding': {
          always: 'Fastify answers it itself, in its own form',
          seen: 'the host has answered itself',
        },
      },
    },
  )
})
