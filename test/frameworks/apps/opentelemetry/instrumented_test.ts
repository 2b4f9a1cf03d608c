import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createPlantStore } from 'plant-store'
import { serve } from 'plant-store/node'
import { memoryStorage } from 'plant-store/storage/memory'

const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager())
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
new HttpInstrumentation().setTracerProvider(provider)
// The instrumentation patches the module when it is required.
createRequire(import.meta.url)('node:http')
const { recordSpan } = await import('./traces.mts')

it('enriches the span of HTTP instrumentation', async () => {
  const storage = {
    ...memoryStorage(),
    delete(): never {
      throw new Error('broken')
    },
  }
  const store = createPlantStore(storage, () => ({ owner: 'alice' }), {
    onError() {},
    onResponse: recordSpan,
  })
  const { url, close } = await serve(store, { port: 0 })
  const headers = { authorization: 'Bearer any' }
  await (await fetch(`${url}/plants`, { headers })).text()
  await (await fetch(`${url}/plants/7`, { method: 'DELETE', headers })).text()
  await close()

  const spans = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER)
  assert.deepEqual(
    spans.map(({ name, attributes, status }) => [name, attributes['http.route'], status.code]),
    [
      ['GET /plants', '/plants', SpanStatusCode.UNSET],
      ['DELETE /plants/{id}', '/plants/{id}', SpanStatusCode.ERROR],
    ],
  )
})
