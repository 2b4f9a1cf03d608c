import type { IncomingRequest, PlantStore, Reply } from '../../src/index.ts'
import { methodNotAllowed } from './error-reply.ts'
import { pathOf } from './path.ts'

export type FileReply = Reply & { body: string }
/** The files by path. */
export type Files = Record<string, (request: IncomingRequest) => Promise<FileReply> | FileReply>

/** Wraps a store so that it also serves files. They are public. */
export function withFiles<Store extends Pick<PlantStore, 'handle'>>(
  store: Store,
  files: Files,
): Store {
  return {
    ...store,
    async handle(request: IncomingRequest) {
      const path = pathOf(request.url)
      const read = Object.hasOwn(files, path) ? files[path] : undefined
      if (!read) return store.handle(request)
      if (request.method === 'GET') return read(request)
      if (request.method === 'HEAD') return headReply(await read(request))
      if (request.method === 'OPTIONS') return optionsReply(request, await read(request))
      return methodNotAllowed('GET, HEAD')
    },
  }
}

/** Creates the reply with a file. */
export function fileReply(
  type: string,
  body: string,
  headers: Record<string, string> = {},
): FileReply {
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      ...headers,
    },
    body,
  }
}

/** Lets a page of any origin ask for a file that is for all, whatever headers its interceptors add. */
function optionsReply({ headers: sent }: IncomingRequest, { headers }: FileReply): Reply {
  const origin = headers['access-control-allow-origin']
  const asked = sent.get('access-control-request-headers')
  const cors = origin && {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, HEAD',
    ...(asked && { 'access-control-allow-headers': asked }),
  }
  return { status: 204, headers: { allow: 'GET, HEAD', ...cors }, body: null }
}

function headReply({ status, headers, body }: FileReply): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-length': length }, body: null }
}
