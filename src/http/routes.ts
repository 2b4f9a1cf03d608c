import type { RoutePath } from '../response-event.ts'

/** What a method does to a path. */
export interface Route<Operation> {
  method: string
  pattern: RegExp
  operation: Operation
  path: RoutePath
}

/** The result of matching a method and a path. */
export interface RouteMatch<Operation> {
  path: RoutePath
  /** Undefined when the path doesn't support the method. */
  operation?: Operation
  /** When there is no operation: the methods of the path, as the Allow header lists them. */
  allow: string
}

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
    path: path === '/plants' ? path : '/plants/{id}',
  }))
}

/**
 * Matches a method and a path.
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
    if (route.method !== method || !route.pattern.test(path)) continue
    return { path: route.path, operation: route.operation, allow: '' }
  }
  const [first, ...others] = routes.filter(({ pattern }) => pattern.test(path))
  if (!first) return undefined
  const allow = [first, ...others].map(({ method }) => method)
  return { path: first.path, allow: [...allow, 'OPTIONS'].join(', ') }
}
