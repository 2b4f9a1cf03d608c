import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listening } from '../shared/listening.ts'

const store = createPlantStore(memoryStorage(), () => ({ owner: 'alice' }))
// Each of these takes it for its own kind of handler, and some types let it pass.
const handler = store.fetch as any
const ADVICE = 'toExpressHandler(store) of plant-store/express'

describe('store.fetch as a handler', () => {
  it.each([
    ['Express 4', () => express4().use('/c', handler)],
    ['Express 5', () => express().use('/c', handler)],
    ['node:http', () => createServer(handler)],
  ])('of %s answers 500 and says what to use', async (_, create) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const { url } = await listening(create() as any)
    const response = await fetch(`${url}/c/plants`)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain(ADVICE)
    expect((await fetch(`${url}/c/plants`)).status).toBe(500)
  })

  it('of node:http2 answers 500 and says what to use', async () => {
    const { url } = await listening(createHttp2Server(handler))
    const session = connect(url)
    onTestFinished(() => session.destroy())
    const stream = session.request({ ':path': '/plants' })
    const status = new Promise((resolve) => {
      stream.on('response', ({ ':status': code }) => resolve(code))
    })
    let text = ''
    for await (const part of stream.setEncoding('utf8')) text += part
    expect([await status, text]).toEqual([500, expect.stringContaining(ADVICE)])
  })

  it('of Koa, Fastify or Hono throws to their error handling', async () => {
    const errors: Error[] = []
    const koa: any = new Koa().use(handler)
    koa.on('error', (error: Error) => errors.push(error))
    const { url } = await listening(koa.callback())
    expect((await fetch(url)).status).toBe(500)

    const fastify = Fastify().all('/*', handler)
    fastify.setErrorHandler((error: Error, _request, reply) => {
      errors.push(error)
      reply.code(500).send('')
    })
    expect((await fastify.inject('/plants')).statusCode).toBe(500)

    const hono = new Hono().all('/*', handler).onError((error, context) => {
      errors.push(error)
      return context.text('', 500)
    })
    expect((await hono.request('/plants')).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual(
      Array(3).fill(expect.stringContaining(ADVICE)),
    )
  })

  it('answers or rejects, whatever it is called with', async () => {
    const broken = () => {
      throw new Error('Broken')
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const values = [
      ...[undefined, null, 0, 'x', {}, [], revoked.proxy, new Request('http://localhost/')],
      ...[{ writeHead: broken }, { writeHead() {}, headersSent: true, destroy: broken }],
      ...[() => {}, broken, async () => broken()],
    ]
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    for (const request of values) {
      for (const response of values) {
        for (const next of values) {
          const [result] = await Promise.allSettled([handler(request, response, next)])
          if (result!.status === 'fulfilled') expect(result!.value).toBeInstanceOf(Response)
          else expect(result!.reason).toBeInstanceOf(Error)
        }
      }
    }
    await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  })

  it('ends a response that has begun', async () => {
    const { url } = await listening((request, response) => {
      response.writeHead(200)
      response.write('<')
      handler(request, response)
    })
    const text = fetch(url).then((response) => response.text())
    await expect(text).rejects.toThrow(/terminated|fetch failed/)
  })
})
