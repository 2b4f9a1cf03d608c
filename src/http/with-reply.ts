import { type MaybePromise, tryThen } from '../maybe-promise.ts'
import type { Reply } from '../reply.ts'

/** The part of a store that has the reply to a request. */
export interface Handler<R> {
  handle(request: R): MaybePromise<Reply | undefined>
  notFound(request: R): MaybePromise<Reply>
}

/**
 * Passes the reply to `use`: the route's, or the 404. Synchronous if the reply is ready. What `use` and a wrapper
 * around the store throw goes to `recover`.
 */
export function withReply<R, T>(
  store: Handler<R>,
  request: R,
  use: (reply: Reply) => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  const useReply = (reply: Reply) => tryThen(() => use(reply), identity, recover)
  return tryThen(
    () => store.handle(request),
    (reply) =>
      reply ? useReply(reply) : tryThen(() => store.notFound(request), useReply, recover),
    recover,
  )
}

function identity<T>(value: T): T {
  return value
}
