/**
 * Serves the OpenAPI document at /openapi.json and a page to read and try it at /docs, in front of a
 * store: `examples/node-server.ts` uses it. All that the page needs comes from this machine:
 * `npm install swagger-ui-dist`.
 *
 * In a project of your own, import from 'plant-store' and 'plant-store/openapi'.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { errors, type PlantStore, type Reply } from '../src/index.ts'
import { openApiDocument } from '../src/openapi.ts'

/**
 * Wraps a store. The page is public, as is the document; what it sends goes through the store's check
 * of tokens like any request.
 *
 * @param token with which the page is authorized from the start; only for a demonstration's token,
 *   since every visitor gets it
 *
 * @example
 * ```ts
 * await serve(withApiDocs(store, { token: 'demo' }), { port: 3000 })
 * ```
 */
export function withApiDocs<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  { token }: { token?: string } = {},
): Store {
  const files: Record<string, () => Promise<FileReply> | FileReply> = {
    '/openapi.json': () => file('application/json', JSON.stringify(openApiDocument(), null, 2)),
    '/docs': () => file('text/html', PAGE),
    '/docs/start.js': () => file('text/javascript', start(token)),
    '/docs/style.css': () => fromDisk('text/css', './api-docs.css'),
    '/docs/swagger-ui.js': () =>
      kept(fromDisk('text/javascript', 'swagger-ui-dist/swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': () => kept(fromDisk('text/css', 'swagger-ui-dist/swagger-ui.css')),
  }
  return {
    ...store,
    async handle(request: Parameters<PlantStore['handle']>[0]) {
      // Not by way of a URL: in the path //docs, that would take docs for a host.
      const [, path = ''] = /^(?:https?:\/\/[^/]+)?([^?]*)/.exec(request.url) ?? []
      const read = Object.hasOwn(files, path) ? files[path] : undefined
      if (!read) return store.handle(request)
      if (request.method === 'GET') return read()
      return request.method === 'HEAD' ? withoutBody(await read()) : methodNotAllowed()
    },
  }
}

type FileReply = Reply & { body: string }

async function fromDisk(type: string, specifier: string): Promise<FileReply> {
  return file(type, await readFile(fileURLToPath(import.meta.resolve(specifier)), 'utf8'))
}

/** Swagger UI is large, and changes when it is updated only: a browser need not ask each time. */
async function kept(reply: Promise<FileReply>): Promise<FileReply> {
  const { headers, ...rest } = await reply
  return { ...rest, headers: { ...headers, 'cache-control': 'max-age=3600' } }
}

function withoutBody({ status, headers, body }: FileReply): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-length': length }, body: null }
}

function methodNotAllowed(): Reply {
  const { status, error, message } = errors.method_not_allowed
  const reply = file('application/json', JSON.stringify({ error, message }))
  return { ...reply, status, headers: { ...reply.headers, allow: 'GET, HEAD' } }
}

function file(type: string, body: string): FileReply {
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      // Nothing is loaded from, sent to or framed by another origin.
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
    body,
  }
}

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Plant Store</title>
  <link rel="icon" href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><text y='13' font-size='13'>🪴</text></svg>">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="stylesheet" href="/docs/style.css">
  <div id="docs"></div>
  <script src="/docs/swagger-ui.js"></script>
  <script src="/docs/start.js"></script>
</html>
`

/** A token of a visitor's own is forgotten when the page is closed: `persistAuthorization` is off. */
function start(token?: string): string {
  return `const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete() {
    const token = ${JSON.stringify(token ?? null)}
    if (token !== null) ui.preauthorizeApiKey('bearerAuth', token)
  },
})
`
}
