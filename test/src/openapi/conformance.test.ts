import { describe, expect, it } from 'vitest'
import { errors } from '../../../src/errors.ts'
import { checkAgainstDocument } from './conformance.ts'

function failure(name: keyof typeof errors, retryAfter?: string): Response {
  const { error, status, message } = errors[name]
  const headers: HeadersInit = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return Response.json({ error, message }, { status, headers })
}

describe('checkAgainstDocument', () => {
  it.each<[string, () => Response, string, string?]>([
    ['an undeclared status', () => failure('plant_not_found'), '404 is not declared'],
    ['an undeclared member', () => Response.json([{ id: 7, name: '' }]), 'additional'],
    ['half a body', () => new Response('[', Response.json([])), 'JSON'],
    ['another media type', () => new Response('[]'), 'content type text/plain'],
    ['a missing header', () => failure('missing_token'), 'without the header WWW'],
    ['a header of another type', () => failure('timeout', 'soon'), 'must be integer'],
    ['an undeclared header', () => failure('invalid_limit', '1'), 'not declared'],
    ["another operation's error", () => failure('invalid_id'), '40006 is not declared'],
    ['an unknown method', () => Response.json([]), 'PUT is not in the document', 'PUT'],
  ])('does not conform: %s', async (_, answer, complaint, method = 'GET') => {
    const request = { method, url: 'http://localhost/api/plants' }
    // The body is checked when it is read.
    const checking = async () => checkAgainstDocument(request, answer(), '/api').text()
    await expect(checking).rejects.toThrow(complaint)
  })
})
