import { defineHandler } from 'nitro/h3'

/** Creates, lists and deletes inside the process: Nitro's `fetch` takes a path. */
export default defineHandler(async () => {
  async function call(method: string, path: string, body?: string) {
    const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
    return (await fetch(`/api/plants${path}`, { method, headers, body })).status
  }
  const aloe = '{"id":8,"name":"Aloe"}'
  const created = [await call('POST', '', aloe), await call('POST', '', aloe)]
  const listed = await call('GET', '')
  return [...created, listed, await call('DELETE', '/8'), await call('DELETE', '/8')].join(' ')
})
