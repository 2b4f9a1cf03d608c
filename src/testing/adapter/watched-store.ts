import type { PlantStore } from '../../plant-store.ts'

/** Watches whether requests get to the routes of a store. What its methods throw or return is passed on as it is. */
export function watchStore(store: PlantStore) {
  let calls = 0
  const missed: string[] = []

  function watch<T>(url: string, call: () => Promise<T>, isMatch: (result: T) => boolean) {
    calls++
    const pending = call()
    pending.then(
      (result) => isMatch(result) || missed.push(url),
      () => {},
    )
    return pending
  }
  const watched: PlantStore = {
    ...store,
    fetch: (request) =>
      watch(
        request.url,
        () => store.fetch(request),
        ({ status }) => status !== 404,
      ),
    handle: (request) =>
      watch(
        request.url,
        () => store.handle(request),
        (reply) => reply !== undefined,
      ),
  }
  return {
    store: watched,
    /** Says what to do if no request got to a route of the store, whatever the rule is. Otherwise `undefined`. */
    adviceOnMiss(): string | undefined {
      if (calls === 0) {
        return 'No request of this test reached the store. Check that start returns the url with the mount path, and that the host passes on every path below it, with every method.'
      }
      if (missed.length < calls) return undefined
      return `The store has no route for ${missed[0]}, the url that it got. Take the mount path off the URL, or pass { basePath } if the host leaves it there.`
    },
  }
}
