import { andThen, isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
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
  try {
    const used = andThen(store.handle(request), (reply) =>
      reply ? use(reply) : andThen(store.notFound(request), use),
    )
    return isPromise(used) ? toNative(used).catch(recover) : used
  } catch (error) {
    return recover(error)
  }
}
