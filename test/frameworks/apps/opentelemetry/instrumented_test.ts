import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createPlantStore } from 'plant-store'
import { serve } from 'plant-store/node'

const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager())
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
new HttpInstrumentation().setTracerProvider(provider)
// The instrumentation patches the module when it is required.
createRequire(import.meta.url)('node:http')
const { recordSpan } = await import('./traces.mts')

it('enriches the span of HTTP instrumentation, also of a list of many pages', async () => {
  const tracer = trace.getTracer('storage')
  const name = 'x'.repeat(10_000)
  const plants = Array.from({ length: 300 }, (_, id) => ({ id: BigInt(id + 1), name }))
  const storage = {
    create: () => true,
    delete(): never {
      throw new Error('broken')
    },
    list: async (_owner: string, { after = 0n, limit }: { after?: bigint; limit: number }) =>
      tracer.startActiveSpan('page', async (span) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        span.end()
        return plants.filter(({ id }) => id > after).slice(0, limit)
      }),
  }
  const store = createPlantStore(storage, () => ({ owner: 'alice' }), {
    onError() {},
    onResponse: recordSpan,
  })
  const { url, close } = await serve(store, { port: 0 })
  const headers = { authorization: 'Bearer any' }
  for (let count = 0; count < 10; count++) {
    assert.equal((await (await fetch(`${url}/plants`, { headers })).json()).length, 300)
  }
  await (await fetch(`${url}/plants/7`, { method: 'DELETE', headers })).text()
  await close()

  const spans = exporter.getFinishedSpans()
  const servers = spans.filter(({ kind }) => kind === SpanKind.SERVER)
  const lists = servers.filter(({ name }) => name === 'GET /plants')
  assert.equal(servers.length, 11)
  assert.equal(lists.length, 10)
  assert.equal(lists[0]!.attributes['http.route'], '/plants')
  const failed = servers.find(({ name }) => name === 'DELETE /plants/{id}')
  assert.equal(failed!.status.code, SpanStatusCode.ERROR)
  const traces = new Set(lists.map((span) => span.spanContext().traceId))
  const pages = spans.filter(({ name }) => name === 'page')
  assert.ok(pages.length > 20)
  for (const page of pages) assert.ok(traces.has(page.spanContext().traceId))
})
