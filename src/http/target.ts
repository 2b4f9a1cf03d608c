import type { IttyRouterType } from 'itty-router'
import type { RoutePath } from '../request-context.ts'

/** The meaning of the method and the URL of a request. */
export interface Target {
  /** Undefined where no route has the path. */
  readonly route?: RoutePath
  /** The methods that the path supports, for the Allow header, if it doesn't support this one. */
  readonly allow?: string
  /** The last segment of the path, if the route has an id. */
  readonly id?: string | undefined
  /** Without the question mark. */
  readonly query: string
}

/**
 * The path and the query of a target in origin-form or absolute-form (RFC 9112, section 3.2). A URL object would resolve dot
 * segments.
 */
const PATH_AND_QUERY = /^(?:[^:/?#]+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/

/** A dot segment at the end, also percent-encoded (RFC 3986, section 3.3). A URL resolves it before it is compared. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}$/i

/**
 * Creates the function that finds the target of a method and a URL, and its operation, if the path supports the method. It
 * matches on the compiled patterns of an itty-router. The router's own `fetch` is not used: it has no 405, accepts slashes at
 * the end of a path, and parses a URL for each request.
 *
 * @param basePath the beginning of each path
 */
export function createMatchTarget<Operation>(router: IttyRouterType, basePath: string) {
  const routes = router.routes.map(([method, pattern, [operation], path]) => {
    const route: RoutePath = path === '/plants' ? path : '/plants/{id}'
    return { method, pattern, operation: operation as Operation, route }
  })
  return (method: string, url: string): (Target & { operation?: Operation }) | undefined => {
    const [, fullPath = '', query = ''] = PATH_AND_QUERY.exec(url)!
    if (!fullPath.startsWith(basePath)) return undefined
    const path = fullPath.slice(basePath.length)
    // `/plants/` is not `/plants`, though the patterns end in /*$.
    if (path.endsWith('/') || DOT_SEGMENT.test(path)) return undefined
    for (const { method: own, pattern, operation, route } of routes) {
      const match = own === method ? pattern.exec(path) : null
      if (match) return { route, operation, id: match.groups?.id, query }
    }
    const ofPath = routes.filter(({ pattern }) => pattern.test(path))
    if (ofPath.length === 0) return undefined
    const methods = ofPath.map(({ method }) => method)
    return { route: ofPath[0]!.route, allow: [...methods, 'OPTIONS'].join(', '), query }
  }
}
