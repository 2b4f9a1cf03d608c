import { describe, expect, it } from 'vitest'
import { errors } from '../../../src/errors.ts'
import { checkAgainstDocument } from './conformance.ts'

const LIST = { method: 'GET', url: 'http://localhost/plants' }
const DELETE = { method: 'DELETE', url: 'http://localhost/plants/7' }

const CREATE = { method: 'POST', url: 'http://localhost/plants' }

/** Checks a response, and reads its body so that the body is checked too. */
async function check(
  request: Parameters<typeof checkAgainstDocument>[0],
  response: Response,
  basePath?: string,
) {
  await checkAgainstDocument(request, response, basePath).text()
}

function failure(name: keyof typeof errors, headers?: Record<string, string>): Response {
  const { error, status, message } = errors[name]
  return Response.json({ error, message }, { status, headers })
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="plants"' }

const created = () => Response.json({ name: 'Monstera' })
const listed = () => Response.json([])
const deleted = () => new Response(null, { status: 204 })

const query = (text: string) => ({ ...LIST, url: `${LIST.url}?${text}` })
const deletion = (id: string) => ({ ...DELETE, url: `http://localhost/plants/${id}` })
const creation = (body: unknown) => ({ ...CREATE, body })

describe('checkAgainstDocument', () => {
  it.each([
    ['a list', LIST, () => Response.json([{ name: 'Monstera', tag: 'indoor' }])],
    ['a page', LIST, () => Response.json([], { headers: { link: '<?cursor=2>; rel="next"' } })],
    ['nothing', DELETE, () => new Response(null, { status: 204 })],
    ['a failure', LIST, () => failure('missing_token', CHALLENGE)],
    ['HEAD', { ...LIST, method: 'HEAD' }, () => new Response(null)],
    [
      'a method not allowed',
      { ...LIST, method: 'PUT' },
      () => failure('method_not_allowed', { allow: 'GET' }),
    ],
    [
      'a path that is not in the document',
      { ...LIST, url: 'http://localhost/' },
      () => failure('route_not_found'),
    ],
  ] as const)('conforms: %s', async (_, request, answer) => {
    await check(request, answer())
  })

  it.each([
    ['an undeclared status', LIST, () => failure('plant_not_found'), '404 is not declared'],
    ['an undeclared member', LIST, () => Response.json([{ id: 7, name: '' }]), 'additional'],
    ['a member of another type', LIST, () => Response.json([{ name: null }]), 'must be string'],
    ['a missing member', LIST, () => Response.json([{}]), "must have required property 'name'"],
    ['another shape', LIST, () => Response.json({}), 'must be array'],
    ['half a body', LIST, () => new Response('[', Response.json([])), 'JSON'],
    ['another media type', LIST, () => new Response('[]'), 'content type text/plain'],
    ['a body where there is none', DELETE, () => Response.json(null), '200 is not declared'],
    ['a missing header', LIST, () => failure('missing_token'), 'without the header WWW'],
    [
      'a header of another type',
      LIST,
      () => failure('timeout', { 'retry-after': 'soon' }),
      'must be integer',
    ],
    [
      'an undeclared header',
      LIST,
      () => failure('invalid_limit', { 'retry-after': '1' }),
      'not declared',
    ],
    ["another operation's error", LIST, () => failure('invalid_id'), '40006 is not declared'],
    [
      'an unknown method that is not refused',
      { ...LIST, method: 'PUT' },
      () => Response.json([]),
      'PUT is not in the document',
    ],
  ] as const)('does not conform: %s', async (_, request, answer, complaint) => {
    await expect(check(request, answer())).rejects.toThrow(complaint)
  })

  it.each([
    ['a page', query('limit=2147483647&cursor=00000000000003e8'), listed],
    ["parameters that the operation doesn't have", query('page=2&Limit=x'), listed],
    ['the least id', deletion('-9223372036854775808'), deleted],
    ['a plant as JSON', creation('{"id":9223372036854775807,"name":"a","x":{"id":"x"}}'), created],
    ['a plant as bytes', creation(new TextEncoder().encode('{"id":7.0,"name":""}')), created],
    ['a plant as an object', creation({ id: 7, name: 'a', tag: 'b' }), created],
    ['a stream as body, which is not checked', creation(new Response('{').body), created],
    ['a request that is refused', query('limit=banana'), () => failure('invalid_limit')],
  ] as const)('takes a request: %s', async (_, request, answer) => {
    await check(request, answer())
  })

  it.each([
    ['limit', query('limit=banana'), listed],
    ['limit', query('limit='), listed],
    ['limit', query('limit=01'), listed],
    ['limit', query('limit=-1'), listed],
    ['limit', query('limit=2147483648'), listed],
    ['limit', query('limit=1&limit=1'), listed],
    ['limit', { ...query('limit=x'), method: 'HEAD' }, () => new Response(null)],
    ['id', deletion('banana'), deleted],
    ['id', deletion('-0'), deleted],
    ['id', deletion('9223372036854775808'), deleted],
    ['id', deletion('%E0%A4%A'), deleted],
    ['body', creation(null), created],
    ['body', creation('{"id":7'), created],
    ['body', creation(new Uint8Array([0x22, 0xff, 0x22])), created],
    ['body', creation('{"name":"a"}'), created],
    ['body', creation('{"id":7.5,"name":"a"}'), created],
    ['body', creation('{"id":1e19,"name":"a"}'), created],
    ['body', creation('{"id":7,"name":"a","tag":null}'), created],
    ['body', creation('{"id":7,"name":"\\u0000"}'), created],
  ] as const)(
    'does not take a success where the document forbids the %s: %o',
    async (part, request, answer) => {
      await expect(check(request, answer())).rejects.toThrow(`request's ${part}`)
    },
  )

  it.each([
    ['x-request-id', LIST, listed],
    ['set-cookie', LIST, listed],
    ['location', CREATE, created],
    ['retry-after', LIST, listed],
    ['link', DELETE, () => failure('plant_not_found')],
    [
      'x-request-id',
      { ...LIST, method: 'PUT' },
      () => failure('method_not_allowed', { allow: 'GET' }),
    ],
  ] as const)('finds the undeclared header %s', async (name, request, answer) => {
    const response = answer()
    response.headers.set(name, '1')
    await expect(check(request, response)).rejects.toThrow(`${name}, which is not declared`)
  })

  it('accepts the headers that HTTP and the store add to every response', async () => {
    const response = listed()
    for (const name of [
      'date',
      'content-length',
      'cache-control',
      'x-content-type-options',
      'vary',
    ]) {
      response.headers.set(name, '1')
    }
    response.headers.set('access-control-allow-origin', '*')
    await check(LIST, response)
  })

  it('finds the operations under the base path', async () => {
    const request = { ...LIST, url: 'http://localhost/api/plants' }
    await expect(check(request, Response.json({}), '/api')).rejects.toThrow('must be array')
  })
})
