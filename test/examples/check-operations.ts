import { expect } from 'vitest'
import { send } from '../shared/server-process.ts'

/** Creates, lists and deletes a plant over HTTP, where no other plants are. */
export async function checkOperations(url: string, token: string): Promise<void> {
  const plant = { name: 'Monstera', tag: 'indoor' }
  // A double would round this id.
  const body = '{"id":9007199254740993,"name":"Monstera","tag":"indoor"}'
  const created = await send(url, token, 'POST', body)
  expect([created.status, await created.json()]).toEqual([200, plant])
  expect((await send(url, token, 'POST', body)).status).toBe(400)
  expect(await (await send(url, token)).json()).toEqual([plant])
  expect((await send(`${url}/9007199254740993`, token, 'DELETE')).status).toBe(204)
  expect(await (await send(url, token)).json()).toEqual([])
  expect((await fetch(url)).status).toBe(401)
}
