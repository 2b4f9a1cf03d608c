import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Failure } from '../../src/errors.ts'
import { corsHeaders } from '../../src/http/cors.ts'
import { failureReply, noContent } from '../../src/http/reply.ts'
import type { IncomingRequest, Reply } from '../../src/index.ts'
import { openApiDocument } from '../../src/openapi.ts'

/**
 * Serves the page to try the API at /, the guides, the OpenAPI document at /openapi.json and the guides' contents at
 * /llms.txt. Pages of any origin may read the last two.
 *
 * @param token the token that the page starts with. Every visitor gets it, so it must be the demo token, or empty
 */
export async function serveDocument(
  request: IncomingRequest,
  token: string,
): Promise<Reply | undefined> {
  const { url, headers } = request
  const path = url.split('?', 1)[0]!
  const cors = corsHeaders({ origin: '*' }, request, ALLOW)
  if (path === '/openapi.json') {
    const document = openApiDocument({ servers: [{ url: serverUrl(request) }] })
    return fileReply(request, 'application/json', JSON.stringify(document, null, 2), cors)
  }
  if (path === '/llms.txt') {
    return fileReply(request, 'text/plain', await readPackageFile('llms.txt'), cors)
  }
  if (path === '/') {
    const page = await readPackageFile('adapters/cli/page.html')
    return pageReply(request, page.replace('<html', `<html data-token="${token}"`))
  }
  const guide = GUIDE.test(path) && (await readPackageFile(path.slice(1)).catch(() => undefined))
  if (!guide) return undefined
  // The page of a guide asks for its text in turn.
  return headers.get('accept')?.includes('text/html')
    ? pageReply(request, await readPackageFile('adapters/cli/guide.html'))
    : fileReply(request, 'text/markdown', guide, { vary: 'Accept' })
}

/**
 * The address that the request was sent to. Some API pages would resolve a relative one against themselves, and others need
 * an absolute one.
 */
function serverUrl({ headers }: IncomingRequest): string {
  const host = headers.get('host') ?? ''
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'
  return /^[\w.:[\]-]+$/.test(host) ? `${scheme}://${host}` : '/'
}

/** The Markdown files of the package. */
const GUIDE = /^\/(?:docs\/(?:[\w-]+\/)?|test\/bench\/)?[\w-]+\.md$/

/** A page loads nothing from other origins, sends nothing to them, and can't be framed by them. */
function pageReply(request: IncomingRequest, page: string): Reply {
  const policy = `default-src 'none'; script-src ${hashes(page, 'script')}; style-src ${hashes(page, 'style')}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return fileReply(request, 'text/html', page, {
    'content-security-policy': policy,
    vary: 'Accept',
  })
}

/** The elements of the page that its policy allows, by their hashes (CSP Level 3, section 2.3.1). */
function hashes(page: string, element: 'script' | 'style'): string {
  const [, text] = page.split(new RegExp(`</?${element}[^>]*>`))
  return `'sha256-${createHash('sha256').update(text!).digest('base64')}'`
}

const ALLOW = 'GET, HEAD, OPTIONS'

function fileReply(
  request: IncomingRequest,
  type: string,
  body: string,
  headers: Record<string, string>,
): Reply {
  const { method } = request
  if (method === 'OPTIONS') return noContent({ ...headers, allow: ALLOW })
  if (method !== 'GET' && method !== 'HEAD') {
    return failureReply(new Failure('method_not_allowed', { headers: { allow: ALLOW } }))
  }
  const common = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' }
  return {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8`, ...common, ...headers },
    body,
  }
}

/** Reads a text file of this package, for example `llms.txt`. The path is that in the repository and in the tarball. */
export function readPackageFile(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.resolve('plant-store/package.json')), 'utf8')
}
