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
  try {
    const reply = store.handle(request)
    if (isPromise(reply)) return useLater(store, request, reply, steps, context)
    const used = reply
      ? steps.use(reply, context)
      : andThen(store.notFound(request), steps.use, context)
    return isPromise(used) ? recoverLater(used, steps, context) : used
  } catch (error) {
    return steps.recover(error, context)
  }
}

async function useLater<R, T, C>(
  store: Handler<R>,
  request: R,
  reply: Promise<Reply | undefined>,
  { use, recover }: Steps<T, C>,
  context: C,
): Promise<T> {
  try {
    return await use((await reply) || (await store.notFound(request)), context)
  } catch (error) {
    return recover(error, context)
  }
}

function recoverLater<T, C>(used: Promise<T>, { recover }: Steps<T, C>, context: C): Promise<T> {
  return toNative(used).catch((error) => recover(error, context))
}
