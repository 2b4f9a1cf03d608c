import type { Reply } from '../reply.ts'

const COMMON_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

const JSON_HEADERS = { 'content-type': 'application/json', ...COMMON_HEADERS }

/** Creates a JSON reply. */
export function jsonReply(
  body: Reply['body'],
  { status = 200, headers }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body }
}

/** Creates a 204 reply. */
export function noContent(headers?: Record<string, string>): Reply {
  return { status: 204, headers: { ...COMMON_HEADERS, ...headers }, body: null }
}
