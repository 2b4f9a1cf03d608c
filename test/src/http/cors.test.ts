import { describe, expect, it } from 'vitest'
import { mounted, request } from '../mounted.ts'

describe('cors', () => {
  const EXPOSED = 'Link, Retry-After, WWW-Authenticate'
  const preflight = (origin: string) =>
    new Request('http://localhost/plants', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  const corsOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
  const from = (origin: string) => request('/plants', { headers: { origin } })

  it('allows the listed origins only', async () => {
    const { fetch } = mounted({ cors: { origin: ['https://a.example', 'https://b.example'] } })
    const allowed = await fetch(from('https://b.example'))
    // No credentials, which the browser would send on its own.
    expect(corsOf(allowed)).toEqual({
      'access-control-allow-origin': 'https://b.example',
      'access-control-expose-headers': EXPOSED,
    })
    const refused = await fetch(from('https://a.example.org'))
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    for (const response of [allowed, refused, await fetch(request('/plants'))]) {
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })

  it('allows every origin with *', async () => {
    const { fetch } = mounted({ cors: { origin: '*' } })
    const response = await fetch(from('https://a.example'))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('vary')).toBeNull()
    const ofServer = await fetch(request('/plants'))
    expect(ofServer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('answers preflights without a token', async () => {
    const { fetch } = mounted({ cors: { origin: 'https://a.example' } })
    const response = await fetch(preflight('https://a.example'))
    expect(response.status).toBe(204)
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': '86400',
    })
    expect(corsOf(await fetch(preflight('https://b.example')))).toEqual({})
  })

  it('allows whatever headers a page sends, such as those of tracing', async () => {
    const { fetch } = mounted({ cors: { origin: '*' } })
    const asked = preflight('https://a.example')
    asked.headers.set('access-control-request-headers', 'authorization,sentry-trace,traceparent')
    expect((await fetch(asked)).headers.get('access-control-allow-headers')).toBe(
      'authorization,sentry-trace,traceparent',
    )
  })

  it('covers failures, so that a page can read them', async () => {
    const { fetch } = mounted({ cors: { origin: '*' } })
    const response = await fetch(
      new Request('http://localhost/plants', { headers: { origin: 'https://a.example' } }),
    )
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const put = { method: 'PUT', headers: { origin: 'https://a.example' } }
    const { status, headers } = await fetch(new Request('http://localhost/plants', put))
    expect(status).toBe(405)
    expect(headers.get('access-control-expose-headers')).toBe(EXPOSED)
    const missing = { method: 'OPTIONS', headers: { origin: 'https://a.example' } }
    const notFound = await fetch(new Request('http://localhost/ferns', missing))
    expect(notFound.status).toBe(404)
    expect(notFound.headers.get('access-control-expose-headers')).toBe(EXPOSED)
    expect(notFound.headers.get('access-control-allow-methods')).toBeNull()
  })
})
