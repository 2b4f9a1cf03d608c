// The program under attack: `server.ts <module>#<export>` of the servers that the benchmark measures, or `server.ts bare`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { toPlant } from '../bench/servers/contract.ts'
import { answerParent } from '../shared/answer-parent.ts'
import { listen } from '../shared/listen.ts'
import { openFiles } from '../shared/open-files.ts'
import { storage, store, verify } from './store.ts'

const MiB = 2 ** 20

/** A server's report about itself, after a forced garbage collection. */
export interface Report {
  /** Unhandled rejections so far. */
  unhandled: string[]
  /** With the buffers that it holds. */
  heapMiB: number
  rssMiB: number
  /** Its open files and connections, on Linux. */
  descriptors: number
}

const unhandled: string[] = []

function report(): Report {
  // The collection that V8 does before it gives up returns the most to the system.
  ;(globalThis as any).gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    unhandled,
    heapMiB: Math.round((heapUsed + external) / MiB),
    rssMiB: Math.round(rss / MiB),
    descriptors: openFiles().length,
  }
}

process.on('unhandledRejection', (error) => void unhandled.push(inspect(error)))
process.on('uncaughtExceptionMonitor', (error) => process.send!({ error: inspect(error) }))

const [module, start] = process.argv[2]!.split('#')
const port: number = start
  ? await (await import(`../bench/servers/${module}.ts`))[start](store)
  : (await listen(answerByHand)).port
answerParent({ port: () => port, report })

/** What any server on node:http pays for the same connections. Its tokens are `now` and `good`, which need no Request. */
async function answerByHand(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = request.headers.authorization!.slice('Bearer '.length)
  const { owner } = (await verify(token, {} as never))!
  if (request.method === 'GET') {
    const plants = await storage.list(owner, { limit: 100 })
    return send(response, 200, plants.map(toPlant))
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => {})
  request.on('end', async () => {
    try {
      const { id, name } = JSON.parse(Buffer.concat(chunks).toString())
      await storage.create(owner, { id: BigInt(id), name })
      send(response, 200, { name })
    } catch {
      send(response, 400, {})
    }
  })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const json = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }
  response.writeHead(status, headers).end(json)
}
