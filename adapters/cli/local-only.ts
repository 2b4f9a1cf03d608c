import type { PlantStore } from '../../src/index.ts'

type Handle = PlantStore['handle']

/**
 * Wraps a store that everybody knows a token of, so that it serves this machine only: programs, and pages of this
 * machine. The page of another site could reach it too, by its own name (DNS rebinding) or as another origin. So
 * requests are refused whose Host or Origin is not a loopback name.
 */
export function localOnly<Store extends Pick<PlantStore, 'handle'>>(store: Store): Store {
  return {
    ...store,
    async handle(request: Parameters<Handle>[0]): ReturnType<Handle> {
      const host = request.headers.get('host') ?? ''
      // A target that is a whole URL counts instead of the header (RFC 9112, section 3.2.2).
      const [, target = host] = /^https?:\/\/([^/?]*)/i.exec(request.url) ?? []
      const origin = request.headers.get('origin')
      const areLocal = LOOPBACK.test(host) && LOOPBACK.test(target)
      const isLocal = areLocal && (origin === null || LOCAL_ORIGIN.test(origin))
      return isLocal ? store.handle(request) : REFUSED
    },
  }
}

const LOOPBACK = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1])(?::\d+)?$/i
const LOCAL_ORIGIN = new RegExp(LOOPBACK.source.replace('^', '^https?://'), 'i')

// RFC 9110, section 15.5.20.
const REFUSED = {
  status: 421,
  headers: {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  },
  body: JSON.stringify({
    error: 42101,
    message:
      'The demo token is for this machine only: call http://localhost, from a page of localhost if at all, or start plant-store with a token of your own',
  }),
}
