import { type ErrorName, errors, type IncomingRequest } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { pathOf } from './path.ts'

/** The operations of the API, which the mock lets fail. */
export type OperationName = 'createPlant' | 'listPlants' | 'deletePlant'

/** Finds the operation of a request. Undefined for other paths, and for OPTIONS. */
export function operationOf({ method, url }: IncomingRequest): OperationName | undefined {
  const path = pathOf(url)
  if (path === '/plants' && method === 'POST') return 'createPlant'
  if (path === '/plants' && (method === 'GET' || method === 'HEAD')) return 'listPlants'
  return /^\/plants\/[^/]+$/.test(path) && method === 'DELETE' ? 'deletePlant' : undefined
}

/** Finds the error with a status: of several the first that the operation can have. */
export function errorOf(operation: OperationName, status: number): ErrorName | undefined {
  const all = Object.keys(errors) as ErrorName[]
  const documented = documentedErrors(operation)
  return [...documented, ...all].find((name) => errors[name].status === status)
}

/** The errors that the OpenAPI document names for an operation. */
function documentedErrors(operation: OperationName): ErrorName[] {
  const { paths, components } = openApiDocument()
  const { get, post } = paths['/plants']
  const operations = [get, post, paths['/plants/{id}'].delete]
  const { responses } = operations.find(({ operationId }) => operationId === operation)!
  const own = Object.values(responses).map((response) =>
    '$ref' in response ? undefined : response,
  )
  return [...own, ...Object.values(components.responses)]
    .flatMap((response) => Object.keys(response?.content?.['application/json'].examples ?? {}))
    .filter((name): name is ErrorName => Object.hasOwn(errors, name))
}
