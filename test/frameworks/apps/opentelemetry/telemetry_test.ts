import assert from 'node:assert/strict'
import { it } from 'node:test'
import { metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createPlantStore, StorageUnavailableError } from 'plant-store'
import { memoryStorage } from 'plant-store/storage/memory'

const durations = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: durations })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
const spans = new InMemorySpanExporter()
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
)
const { recordDuration } = await import('./metrics.mts')
const { recordSpan } = await import('./traces.mts')

it('records a duration and a span of each request', async () => {
  const storage = {
    ...memoryStorage(),
    delete(): never {
      throw new StorageUnavailableError('The database is down')
    },
  }
  const { fetch } = createPlantStore(storage, () => ({ owner: 'alice' }), {
    onError() {},
    onResponse(event) {
      recordDuration(event)
      recordSpan(event)
    },
  })
  const headers = { authorization: 'Bearer any' }
  const begin = Date.now()
  await (await fetch(new Request('http://localhost/plants', { headers }))).text()
  await (await fetch(new Request('http://localhost/animals', { headers }))).text()
  const broken = new Request('http://localhost/plants/7', { method: 'DELETE', headers })
  await (await fetch(broken)).text()

  const finished = spans.getFinishedSpans()
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
