import type { IncomingRequest, PlantStore } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { type FileReply, fileReply, withFiles } from './files.ts'

/** Wraps a store so that it also serves its description, to pages of any origin: /openapi.json, and /llms.txt. */
export function withDocuments<Store extends Pick<PlantStore, 'handle'>>(store: Store): Store {
  return withFiles(store, {
    '/openapi.json': ({ headers }) => {
      const described = openApiDocument({ servers: [{ url: serverUrl(headers) }] })
      return document('application/json', JSON.stringify(described, null, 2))
    },
    '/llms.txt': () => document('text/plain', llmsText()),
  })
}

/**
 * The address that the request was sent to. Some API pages would resolve a relative one against themselves, and others need
 * an absolute one.
 */
function serverUrl(headers: IncomingRequest['headers']): string {
  const host = headers.get('host') ?? ''
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'
  return /^[\w.:[\]-]+$/.test(host) ? `${scheme}://${host}` : '/'
}

function document(type: string, body: string): FileReply {
  return fileReply(type, body, { 'access-control-allow-origin': '*' })
}

/** Describes the API to language models (https://llmstxt.org). */
function llmsText(): string {
  const { info, paths } = openApiDocument()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary, description }]) =>
        `- ${summary}: \`${method.toUpperCase()} ${path}\`. ${description}`,
    ),
  )
  return `# ${info.title}

> ${info.description.replace(/\n\n- /, '\n>\n> - ').replaceAll('\n- ', '\n> - ')}

- [OpenAPI document](/openapi.json): every parameter, response and error, with examples.

## Operations

${operations.join('\n')}
`
}
