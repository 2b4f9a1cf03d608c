import { openApiDocument } from 'plant-store/openapi'

/** The parts of an OpenAPI document, 3.0 or 3.1, that the store adds to. */
interface Parts {
  paths?: any
  tags?: any[] | undefined
  components?: any
}

export function withPlants<Document extends Parts>(document: Document, path = '/api'): Document {
  const { paths, tags, components } = openApiDocument({ prefix: 'PlantStore' })
  const mounted = Object.entries(paths).map(([route, item]) => [`${path}${route}`, item])
  const known = document.tags ?? []
  const all = Object.entries(components).map(([kind, ours]) => [
    kind,
    { ...document.components?.[kind], ...ours },
  ])
  return {
    ...document,
    paths: { ...document.paths, ...Object.fromEntries(mounted) },
    tags: [...known, ...tags.filter(({ name }) => !known.some((tag) => tag.name === name))],
    components: { ...document.components, ...Object.fromEntries(all) },
  }
}
