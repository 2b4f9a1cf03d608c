/**
 * Serves the OpenAPI document at /openapi.json and a page to read and try it at /docs, in front of a store. A browser
 * that opens / is sent to the page. The page loads nothing from other hosts. It needs `npm install swagger-ui-dist`,
 * version 5 or newer. Without that, only the document is served. The page works with 5.0.0, and meets WCAG AA with the
 * version that package.json names.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { errors, type PlantStore, type Reply } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { readPackageFile } from './package-file.ts'

/**
 * Wraps a store so that it also serves the document and the page. Both are public. The store checks the
 * token of each request that the page sends, as of any other.
 *
 * @param token the token that the page starts with. Every visitor gets it, so it must be a demo token.
 *   Default: none
 *
 * @example
 * ```ts
 * await serve(withApiDocs(store, { token: 'demo' }), { port: 3000 })
 * ```
 */
export function withApiDocs<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  { token }: { token?: string | undefined } = {},
): Store {
  const files: Files = {
    '/openapi.json': () => file('application/json', JSON.stringify(openApiDocument(), null, 2)),
    ...(hasApiDocs() && page(token)),
  }
  return {
    ...store,
    async handle(request: Parameters<PlantStore['handle']>[0]) {
      // Not `new URL`, which would take docs for the host in the path //docs.
      const [, path = ''] = /^(?:https?:\/\/[^/]+)?([^?]*)/.exec(request.url) ?? []
      if (path === '/' && files['/docs'] && isBrowser(request)) return TO_DOCS
      const read = Object.hasOwn(files, path) ? files[path] : undefined
      if (!read) return store.handle(request)
      if (request.method === 'GET') return read()
      return request.method === 'HEAD' ? headReply(await read()) : methodNotAllowed()
    },
  }
}

/** Whether a person looks: programs don't ask for HTML. */
function isBrowser({ method, headers }: Parameters<PlantStore['handle']>[0]): boolean {
  return /^(?:GET|HEAD)$/.test(method) && /\btext\/html\b/.test(headers.get('accept') ?? '')
}

const TO_DOCS: Reply = {
  status: 302,
  headers: { location: '/docs', vary: 'Accept', 'cache-control': 'no-cache' },
  body: null,
}

/** Whether swagger-ui-dist is installed, which the page needs. */
export function hasApiDocs(): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(SWAGGER_UI)))
  } catch {
    return false
  }
}

type FileReply = Reply & { body: string }
type Files = Record<string, () => Promise<FileReply> | FileReply>

const SWAGGER_UI = 'swagger-ui-dist/swagger-ui-bundle.js'
const PAGE_FILES = 'adapters/cli/docs-page'

function page(token?: string): Files {
  return {
    '/docs': () => file('text/html', PAGE),
    '/docs/start.js': () => startScript(token),
    '/docs/style.css': async () =>
      file('text/css', await readPackageFile(`${PAGE_FILES}/style.css`)),
    '/docs/swagger-ui.js': () => installedFile('text/javascript', SWAGGER_UI),
    '/docs/swagger-ui.css': () => installedFile('text/css', 'swagger-ui-dist/swagger-ui.css'),
  }
}

/** Lets the browser cache Swagger UI for an hour: it is large, and only changes when it is updated. */
async function installedFile(type: string, specifier: string): Promise<FileReply> {
  const path = fileURLToPath(import.meta.resolve(specifier))
  const { headers, ...rest } = file(type, await readFile(path, 'utf8'))
  return { ...rest, headers: { ...headers, 'cache-control': 'max-age=3600' } }
}

function headReply({ status, headers, body }: FileReply): Reply {
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
      // The page loads nothing from other origins, sends nothing to them, and can't be framed by them.
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
  <link rel="stylesheet" href="/docs/style.css">
  <div id="docs"></div>
  <script src="/docs/swagger-ui.js"></script>
  <script src="/docs/start.js"></script>
</html>
`

/** Swagger UI forgets a visitor's own token when the page closes: `persistAuthorization` is off. */
async function startScript(token?: string): Promise<FileReply> {
  const script = await readPackageFile(`${PAGE_FILES}/start.js`)
  return file('text/javascript', `const token = ${JSON.stringify(token ?? null)}\n${script}`)
}
