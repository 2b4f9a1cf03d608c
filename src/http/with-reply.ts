import { andThen, isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
import type { Reply } from '../reply.ts'

/** The part of a store that has the reply to a request. */
export interface Handler<R> {
  handle(request: R): MaybePromise<Reply | undefined>
  notFound(request: R): MaybePromise<Reply>
}

/** What is done with the reply, and with what `use` and a wrapper around the store throw. */
interface Steps<T, C> {
  use(reply: Reply, context: C): MaybePromise<T>
  recover(error: unknown, context: C): MaybePromise<T>
}

/**
 * Passes the reply to `use`: the route's, or the 404. Synchronous if the reply is ready. What `use` and a wrapper
 * around the store throw goes to `recover`.
 *
 * @param context the second argument of both
 */
export function withReply<R, T, C>(
  store: Handler<R>,
  request: R,
  steps: Steps<T, C>,
  context: C,
): MaybePromise<T> {
  let reply: MaybePromise<Reply | undefined>
  try {
    reply = store.handle(request)
    if (isPromise(reply)) return useLater(store, request, reply, steps, context)
  } catch (error) {
    return steps.recover(error, context)
  }
  return useNow(store, request, reply, steps, context)
}

function useLater<R, T, C>(
  store: Handler<R>,
  request: R,
  promise: Promise<Reply | undefined>,
  steps: Steps<T, C>,
  context: C,
): Promise<T> {
  return toNative(promise).then(
    (reply) => useNow(store, request, reply, steps, context),
    (error) => steps.recover(error, context),
  )
}

function useNow<R, T, C>(
  store: Handler<R>,
  request: R,
  reply: Reply | undefined,
  steps: Steps<T, C>,
  context: C,
): MaybePromise<T> {
  try {
    const used = reply
      ? steps.use(reply, context)
      : andThen(store.notFound(request), steps.use, context)
    return isPromise(used) ? recoverLater(used, steps, context) : used
  } catch (error) {
    return steps.recover(error, context)
  }
}

function recoverLater<T, C>(used: Promise<T>, { recover }: Steps<T, C>, context: C): Promise<T> {
  return toNative(used).catch((error) => recover(error, context))
}
