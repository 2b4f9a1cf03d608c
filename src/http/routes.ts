/** A row of itty-router's table. */
export type Route<Operation> = [method: string, path: RegExp, operations: Operation[]]

/** What a method and a path lead to; no operation where the path doesn't know the method. */
export interface RouteMatch<Operation> {
  operation?: Operation
  /** What the path's pattern captures. */
  params: { id?: string }
  /** Where there is no operation: the methods that the path knows, as the Allow header lists them. */
  allow: string
}

/**
 * Looks a path up in a router's table. The table and its patterns are itty-router's; only its `fetch`
 * is not used: it knows no 405, lets a path end in slashes, and parses a URL for every request.
 *
 * @returns undefined where no route has this path
 */
export function matchRoute<Operation>(
  routes: Route<Operation>[],
  method: string,
  path: string,
): RouteMatch<Operation> | undefined {
  if (path.endsWith('/')) return undefined
  for (const [routeMethod, pattern, [operation]] of routes) {
    const match = routeMethod === method && pattern.exec(path)
    if (match) return { operation, params: match.groups ?? {}, allow: '' }
  }
  const allowed = routes.filter(([, pattern]) => pattern.test(path)).map(([allows]) => allows)
  return allowed.length > 0 ? { params: {}, allow: [...allowed, 'OPTIONS'].join(', ') } : undefined
}
