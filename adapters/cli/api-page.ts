import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { IncomingRequest, PlantStore, Reply } from '../../src/index.ts'
import { type FileReply, type Files, fileReply, withFiles } from './files.ts'
import { readPackageFile } from './package-file.ts'
import { pathOf } from './path.ts'

/**
 * Wraps a store so that it also serves a page at /docs, to read and try /openapi.json. A browser that opens / is sent there.
 * The page loads nothing from other hosts. It needs `npm install swagger-ui-dist`, version 5 or newer, and meets WCAG AA
 * with the version that package.json names. The store checks the token of each request that the page sends.
 *
 * @param token the token that the page starts with. Every visitor gets it, so it must be a demo token.
 *   Default: none
 */
export function withApiPage<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  { token }: { token?: string | undefined } = {},
): Store {
  if (!hasApiPage()) return store
  const served = withFiles(store, pageFiles(token))
  return {
    ...served,
    async handle(request: IncomingRequest) {
      return pathOf(request.url) === '/' && isBrowser(request) ? TO_DOCS : served.handle(request)
    },
  }
}

/** Whether swagger-ui-dist is installed, which the page needs. */
export function hasApiPage(): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(SWAGGER_UI)))
  } catch {
    return false
  }
}

/** Whether a person looks: programs don't ask for HTML. */
function isBrowser({ method, headers }: IncomingRequest): boolean {
  return /^(?:GET|HEAD)$/.test(method) && /\btext\/html\b/.test(headers.get('accept') ?? '')
}

const TO_DOCS: Reply = {
  status: 302,
  headers: { location: '/docs', vary: 'Accept', 'cache-control': 'no-cache' },
  body: null,
}

const SWAGGER_UI = 'swagger-ui-dist/swagger-ui-bundle.js'

function pageFiles(token?: string): Files {
  return {
    '/docs': () => pageFile('text/html', PAGE),
    '/docs/start.js': () => startScript(token),
    '/docs/style.css': async () => pageFile('text/css', await readOwn('style.css')),
    '/docs/swagger-ui.js': () => installedFile('text/javascript', SWAGGER_UI),
    '/docs/swagger-ui.css': () => installedFile('text/css', 'swagger-ui-dist/swagger-ui.css'),
  }
}

/** Swagger UI forgets a visitor's own token when the page closes: `persistAuthorization` is off. */
async function startScript(token?: string): Promise<FileReply> {
  const script = await readOwn('start.js')
  return pageFile('text/javascript', `const token = ${JSON.stringify(token ?? null)}\n${script}`)
}

function readOwn(name: string): Promise<string> {
  return readPackageFile(`adapters/cli/api-page/${name}`)
}

/** Lets the browser cache Swagger UI for an hour: it is large, and only changes when it is updated. */
async function installedFile(type: string, specifier: string): Promise<FileReply> {
  const path = fileURLToPath(import.meta.resolve(specifier))
  return pageFile(type, await readFile(path, 'utf8'), { 'cache-control': 'max-age=3600' })
}

function pageFile(type: string, body: string, headers: Record<string, string> = {}): FileReply {
  return fileReply(type, body, { ...PAGE_HEADERS, ...headers })
}

const PAGE_HEADERS = {
  // The page loads nothing from other origins, sends nothing to them, and can't be framed by them.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
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
