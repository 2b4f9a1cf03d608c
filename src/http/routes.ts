import type { RoutePath } from '../response-event.ts'

/** A method of a path, and the operation that serves it. */
export interface Route<Operation> {
  method: string
  pattern: RegExp
  operation: Operation
  route: RoutePath
}

/** The result of matching a method and a path. */
export type RouteMatch<Operation> =
  | Route<Operation>
  /** The path doesn't support the method. `allow` lists the methods that it does, for the Allow header. */
  | { route: RoutePath; operation?: undefined; allow: string }

/** A row of itty-router's table. */
type Row<Operation> = [method: string, pattern: RegExp, operations: Operation[], path: string]

/**
 * Reads the table of an itty-router, which holds the compiled patterns. Its own `fetch` is not used: it has no
 * 405, accepts slashes at the end of a path, and parses a URL per request.
 */
export function routesOf<Operation>(router: { routes: unknown }): Route<Operation>[] {
  const rows = router.routes as Row<Operation>[]
  return rows.map(([method, pattern, [operation], path]) => ({
    method,
    pattern,
    operation: operation!,
    route: path === '/plants' ? path : '/plants/{id}',
  }))
}

/**
 * Finds the route of a method and a path.
 *
 * @returns undefined where no route has this path
 */
export function matchRoute<Operation>(
  routes: Route<Operation>[],
  method: string,
  path: string,
): RouteMatch<Operation> | undefined {
  // `/plants/` is not `/plants`, though the patterns end in /*$.
  if (path.endsWith('/')) return undefined
  for (const route of routes) {
    if (route.method === method && route.pattern.test(path)) return route
  }
  return matchPath(routes, path)
}

/** Apart from `matchRoute` because of its closure (see `andThen`). */
function matchPath<Operation>(
  routes: Route<Operation>[],
  path: string,
): RouteMatch<Operation> | undefined {
  const ofPath = routes.filter(({ pattern }) => pattern.test(path))
  if (ofPath.length === 0) return undefined
  const methods = ofPath.map(({ method }) => method)
  return { route: ofPath[0]!.route, allow: [...methods, 'OPTIONS'].join(', ') }
}
