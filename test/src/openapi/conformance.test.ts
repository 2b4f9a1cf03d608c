import { describe, expect, it } from 'vitest'
import { errors } from '../../../src/errors.ts'
import { checkAgainstDocument } from './conformance.ts'

const LIST = { method: 'GET', url: 'http://localhost/plants' }

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

describe('checkAgainstDocument', () => {
  it.each([
    ['an undeclared status', LIST, () => failure('plant_not_found'), '404 is not declared'],
    ['an undeclared member', LIST, () => Response.json([{ id: 7, name: '' }]), 'additional'],
    ['half a body', LIST, () => new Response('[', Response.json([])), 'JSON'],
    ['another media type', LIST, () => new Response('[]'), 'content type text/plain'],
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

  it('finds the operations under the base path', async () => {
    const request = { ...LIST, url: 'http://localhost/api/plants' }
    await expect(check(request, Response.json({}), '/api')).rejects.toThrow('must be array')
  })
})
