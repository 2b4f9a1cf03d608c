import type { IttyRouterType, RouteEntry } from 'itty-router'
import type { RoutePath } from '../response-event.ts'

/** A method of a path, and the operation that serves it. */
interface Route<Operation> {
  method: string
  pattern: RegExp
  operation: Operation
  route: RoutePath
}

/** The result of matching a method and a path. */
export type RouteMatch<Operation> =
  | { route: RoutePath; operation: Operation; id: string | undefined }
  /** The path doesn't support the method. `allow` lists the methods that it does, for the Allow header. */
  | { route: RoutePath; operation?: undefined; allow: string }

/** Finds the route of a method and a path. Returns undefined where no route has this path. */
export type MatchRoute<Operation> = (
  method: string,
  path: string,
) => RouteMatch<Operation> | undefined

/** A dot segment at the end, also percent-encoded (RFC 3986, section 3.3). A URL resolves it before it is compared. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}$/i

/**
 * Matches on the compiled patterns of an itty-router. Its own `fetch` is not used: it has no 405, accepts slashes at
 * the end of a path, and parses a URL for each request.
 */
export function createMatchRoute<Operation>(router: IttyRouterType): MatchRoute<Operation> {
  const routes = router.routes.map(toRoute<Operation>)
  return (method, path) => {
    // `/plants/` is not `/plants`, though the patterns end in /*$.
    if (path.endsWith('/') || DOT_SEGMENT.test(path)) return undefined
    for (const { method: own, pattern, operation, route } of routes) {
      const match = own === method ? pattern.exec(path) : null
      if (match) return { route, operation, id: match.groups?.id }
    }
    const ofPath = routes.filter(({ pattern }) => pattern.test(path))
    if (ofPath.length === 0) return undefined
    const methods = ofPath.map(({ method }) => method)
    return { route: ofPath[0]!.route, allow: [...methods, 'OPTIONS'].join(', ') }
  }
}

function toRoute<Operation>([method, pattern, [operation], path]: RouteEntry): Route<Operation> {
  const route = path === '/plants' ? path : '/plants/{id}'
  return { method, pattern, operation: operation as Operation, route }
}
