import assert from 'node:assert/strict'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Api, call, TOKEN } from './api.ts'

/** Together more than the buffers of two sockets and of a framework between them hold. */
const PLANTS = 400
const NAME = 'x'.repeat(64 * 1024)
const PATIENCE_MS = 30_000

/**
 * A client that hangs up in the middle of a list ends the list: the app prints what its `onResponse` gets,
 * and that is `aborted`. The app goes on serving.
 */
export async function hangUp(api: Api): Promise<void> {
  for (let id = 0; id < PLANTS; id++) {
    const body = `{"id":${id},"name":"${NAME}"}`
    assert.equal((await call(api, 'POST', '/plants', { body })).status, 200)
  }
  const before = api.output().length
  await readSome(`${api.url}/plants`)
  const deadline = Date.now() + PATIENCE_MS
  while (!/GET .*200.* aborted/.test(api.output().slice(before))) {
    if (Date.now() > deadline) throw new Error('The app went on with a list that nobody reads')
    await delay(50)
  }
  for (let id = 0; id < PLANTS; id++) {
    assert.equal((await call(api, 'DELETE', `/plants/${id}`)).status, 204)
  }
}

/** Reads the first bytes of a response and closes the connection. */
function readSome(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${TOKEN}` }, agent: false }, (response) => {
      response.once('data', () => {
        response.pause()
        response.destroy()
        resolve()
      })
      response.once('error', () => {})
    }).on('error', reject)
  })
}
