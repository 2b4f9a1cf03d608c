import { afterAll, beforeAll, describe, it } from 'vitest'
import { testPlantAdapter } from '../../src/testing.ts'
import { quiet, startWorker } from './workerd-start.ts'

describe('The contract, in workerd', () => {
  let worker: Awaited<ReturnType<typeof startWorker>>
  beforeAll(async () => {
    worker = await startWorker(new URL('workerd-contract-worker.ts', import.meta.url), quiet)
  })
  afterAll(() => worker?.stop())

  testPlantAdapter({ describe, it }, () => ({ url: worker.url }), {
    // It answers HTTP/1.0 as 1.1. Cloudflare's own servers are in front of it.
    versions: ['1.1'],
    limits: {
      'absolute-target': 'workerd answers it itself, with 500',
      'connection-close': 'workerd keeps the connection, as its proxy is meant to',
      'expect-continue': 'workerd ignores Expect',
      'hang-up': { sometimes: 'workerd drops the work without telling it' },
      'readable-refusal': 'workerd closes the connection before the rest of the body has come',
      'smuggled-request':
        'workerd serves what follows the last chunk, even if Content-Length says otherwise',
      'truncated-list': 'workerd ends the response; the array has no closing bracket',
      'unread-body': 'workerd closes the connection, and does not say so',
    },
  })
})
