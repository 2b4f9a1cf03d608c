import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { Reply } from '../reply.ts'

/** The part of a store that has the reply to a request. */
export interface Handler<R> {
  handle(request: R): MaybePromise<Reply | undefined>
  notFound(request: R): MaybePromise<Reply>
}

/** Calls `use` with the reply to a request, at once if it is there: that of its route, or the 404. */
export function withReply<R, T>(
  store: Handler<R>,
  request: R,
  use: (reply: Reply) => T,
): MaybePromise<T> {
  return andThen(store.handle(request), (reply) =>
    reply ? use(reply) : andThen(store.notFound(request), use),
  )
}
