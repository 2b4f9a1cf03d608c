import type { OpenApiDocument } from './document.ts'

/** Puts the prefix in front of the names of all components and operations, and of the references to them. */
export function addPrefix<Prefix extends string>(
  document: OpenApiDocument,
  prefix: Prefix,
): OpenApiDocument<Prefix> {
  const { schemas, responses, securitySchemes } = document.components
  const components = {
    schemas: rename(schemas, prefix),
    responses: rename(responses, prefix),
    securitySchemes: rename(securitySchemes, prefix),
  }
  return JSON.parse(JSON.stringify({ ...document, components }), (key, value) => {
    if (key === '$ref') return value.replace(/\w+$/, `${prefix}$&`)
    if (key === 'operationId') return prefixed(value, prefix)
    return key === 'security' ? value.map((names: object) => rename(names, prefix)) : value
  })
}

function rename(parts: object, prefix: string): object {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [prefixed(name, prefix), part]),
  )
}

/** Keeps words apart: PlantStoreListPlants. */
function prefixed(name: string, prefix: string): string {
  return prefix === '' ? name : `${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`
}
