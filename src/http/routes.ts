import type { RoutePath } from '../response-event.ts'

/** A row of itty-router's table. */
export type Route<Operation> = [
  method: string,
  pattern: RegExp,
  operations: Operation[],
  path: string,
]

/** The result of matching a method and a path. */
export interface RouteMatch<Operation> {
  path: RoutePath
  /** Undefined when the path doesn't support the method. */
  operation?: Operation
  params: { id?: string }
  /** When there is no operation: the methods of the path, as the Allow header lists them. */
  allow: string
}

/**
 * Matches a method and a path with itty-router's table, which holds the compiled patterns. Its own `fetch`
 * is not used: it has no 405, accepts slashes at the end of a path, and parses a URL per request.
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
  for (const [routeMethod, pattern, [operation], template] of routes) {
    const match = routeMethod === method && pattern.exec(path)
    if (match) return { path: toPath(template), operation, params: match.groups ?? {}, allow: '' }
  }
  const others = routes.filter(([, pattern]) => pattern.test(path))
  if (others.length === 0) return undefined
  const allow = [...others.map(([allowed]) => allowed), 'OPTIONS'].join(', ')
  return { path: toPath(others[0]![3]), params: {}, allow }
}

function toPath(template: string): RoutePath {
  return template === '/plants' ? template : '/plants/{id}'
}
