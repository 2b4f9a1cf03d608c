import { createSecureServer, createServer } from 'node:http2'
import Fastify from 'fastify'
import { describe, it } from 'vitest'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { toNodeHandler } from '../../../adapters/node.ts'
import { testPlantAdapter } from '../../../src/testing.ts'
import { listen } from '../../shared/listen.ts'
import { describeNightly } from '../../shared/nightly.ts'
import { tls } from './tls.ts'

// The one with TLS is the same over HTTP/2.
describeNightly('A server of node:http2', () => {
  testPlantAdapter(
    { describe, it },
    async (store) => {
      const { url, close } = await listen(createServer(toNodeHandler(store)))
      return { url, stop: close }
    },
    { versions: ['2'] },
  )
})

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
