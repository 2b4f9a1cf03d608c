import type { Reply } from '../reply.ts'

/** Creates a JSON reply. */
export function jsonReply(
  body: Reply['body'],
  { status = 200, headers }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** Creates a 204 reply. */
export function noContent(headers: Record<string, string> = {}): Reply {
  return { status: 204, headers, body: null }
}
