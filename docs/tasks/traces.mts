import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ResponseEvent } from 'plant-store'

const tracer = trace.getTracer('plants')

export function recordSpan(event: ResponseEvent): void {
  const { method, route, status, outcome, startedAt, durationMs } = event
  const active = trace.getActiveSpan()
  const span = active ?? tracer.startSpan(method, { kind: SpanKind.SERVER, startTime: startedAt })
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status })
  if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
  if (status >= 500 || outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
  if (!active) span.end(startedAt + durationMs)
}
