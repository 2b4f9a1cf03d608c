import type { PlantStore } from '../../plant-store.ts'

/** A store whose calls are watched. */
export interface WatchedStore {
  readonly store: PlantStore
  /** Says what to do if no request got to a route of the store, whatever the rule is. Otherwise `undefined`. */
  adviceOnMiss(): string | undefined
}

/** Watches whether requests get to the routes of a store. What its methods throw or return is passed on as it is. */
export function watchStore(store: PlantStore): WatchedStore {
  let wasCalled = false
  let hasMatched = false
  let missed: string | undefined

  function watch<T>(url: string, isMatch: (result: T) => boolean, call: () => Promise<T>) {
    wasCalled = true
    const pending = call()
    pending.then(
      (result) => {
        if (isMatch(result)) hasMatched = true
        else missed ??= url
      },
      () => {},
    )
    return pending
  }
  const fetch: PlantStore['fetch'] = (request) =>
    watch(
      request.url,
      ({ status }) => status !== 404,
      () => store.fetch(request),
    )
  const handle: PlantStore['handle'] = (request) =>
    watch(
      request.url,
      (reply) => reply !== undefined,
      () => store.handle(request),
    )
  return {
    store: { ...store, fetch, handle },
    adviceOnMiss() {
      if (!wasCalled) {
        return 'No request of this test reached the store. Check that start returns the url with the mount path, and that the host passes on every path below it, with every method.'
      }
      if (hasMatched || missed === undefined) return undefined
      return `The store has no route for ${missed}, the url that it got. Take the mount path off the URL, or pass { basePath } if the host leaves it there.`
    },
  }
}
