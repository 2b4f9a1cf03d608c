import { metrics } from '@opentelemetry/api'
import type { ResponseEvent } from 'plant-store'

const duration = metrics.getMeter('plants').createHistogram('http.server.request.duration', {
  unit: 's',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
})

export function recordDuration({ method, route, status, durationMs }: ResponseEvent): void {
  duration.record(durationMs / 1000, {
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route && { 'http.route': route }),
  })
}
