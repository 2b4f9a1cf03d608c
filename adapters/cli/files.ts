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
      return request.method === 'HEAD'
        ? headReply(await read(request))
        : methodNotAllowed('GET, HEAD')
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

function headReply({ status, headers, body }: FileReply): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-length': length }, body: null }
}
