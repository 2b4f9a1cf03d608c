import { assertMethods } from '../lib/arguments.ts'

/**
 * Checks what an adapter was given, for JavaScript callers: without a store, the first request would fail with
 * an error that doesn't name the mistake. If an app mounts `toExpressHandler` without calling it, `store` is a
 * request.
 *
 * @param callee the name of the adapter's function, for the message
 * @param methods the methods of a `PlantStore` that the adapter calls
 * @throws TypeError that says what was passed instead, or which method is missing
 *
 * @example
 * ```ts
 * function toHandler(store: PlantStore) {
 *   assertStore('toHandler', store, 'handle', 'notFound')
 *   // ...
 * }
 * ```
 */
export function assertStore(callee: string, store: unknown, ...methods: readonly string[]): void {
  assertMethods(`${callee} takes a store, as createPlantStore(…) returns it`, store, methods)
}
