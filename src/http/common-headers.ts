import type { Reply } from '../reply.ts'

/** Adds the headers of every reply. */
export function addCommonHeaders(reply: Reply): Reply {
  reply.headers['x-content-type-options'] = 'nosniff'
  reply.headers['cache-control'] = 'no-store'
  return reply
}
