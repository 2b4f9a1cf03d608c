import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createPlantStore, type ResponseEvent, StorageUnavailableError } from 'plant-store'
import { serve } from 'plant-store/node'
import { memoryStorage } from 'plant-store/storage/memory'

const durations = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: durations })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
context.setGlobalContextManager(new AsyncLocalStorageContextManager())
new HttpInstrumentation().setTracerProvider(provider)
// The instrumentation patches the module when it is required.
createRequire(import.meta.url)('node:http')
const { recordDuration } = await import('./metrics.mts')
const { recordSpan } = await import('./traces.mts')

const storage = {
  ...memoryStorage(),
  delete(): never {
    throw new StorageUnavailableError('The database is down')
  },
}
const storeWith = (onResponse: (event: ResponseEvent) => void) =>
  createPlantStore(storage, () => ({ owner: 'alice' }), { onError() {}, onResponse })
const headers = { authorization: 'Bearer any' }

it('records a duration and a span of each request', async () => {
  const { fetch } = storeWith((event) => {
    recordDuration(event)
    recordSpan(event)
  })
  const begin = Date.now()
  for (const [method, path] of [
    ['GET', '/plants'],
    ['GET', '/animals'],
    ['DELETE', '/plants/7'],
  ]) {
    const request = new Request(`http://localhost${path}`, { method: method!, headers })
    await (await fetch(request)).text()
  }

  const finished = exporter.getFinishedSpans()
  assert.deepEqual(
    finished.map(({ name, kind, status }) => [name, kind, status.code]),
    [
      ['GET /plants', SpanKind.SERVER, SpanStatusCode.UNSET],
      ['GET', SpanKind.SERVER, SpanStatusCode.UNSET],
      ['DELETE /plants/{id}', SpanKind.SERVER, SpanStatusCode.ERROR],
    ],
  )
  assert.deepEqual(finished[0]!.attributes, {
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'http.route': '/plants',
  })
  const [seconds] = finished[0]!.startTime
  assert.ok(seconds >= Math.trunc(begin / 1000) && seconds <= Math.trunc(Date.now() / 1000))

  await reader.forceFlush()
  const [metric] = durations.getMetrics()[0]!.scopeMetrics[0]!.metrics
  assert.equal(metric!.descriptor.name, 'http.server.request.duration')
  assert.equal(metric!.descriptor.unit, 's')
  assert.deepEqual(
    metric!.dataPoints.map(({ attributes }) => attributes['http.response.status_code']),
    [200, 404, 503],
  )
})

it('enriches the span of HTTP instrumentation', async () => {
  exporter.reset()
  const { url, close } = await serve(storeWith(recordSpan), { port: 0 })
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
