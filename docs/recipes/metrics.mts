import type { ResponseEvent } from 'plant-store'
import { Histogram } from 'prom-client'

const duration = new Histogram({
  name: 'plants_request_duration_seconds',
  help: 'Time of requests to the plant store',
  labelNames: ['method', 'route', 'status', 'error'],
})

export function record({ method, route, status, error, durationMs }: ResponseEvent): void {
  duration.observe({ method, route: route ?? '', status, error: error ?? '' }, durationMs / 1000)
}
