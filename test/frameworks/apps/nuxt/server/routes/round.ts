/** Creates, lists and deletes with `$fetch`, whose request has no socket. */
export default defineEventHandler(async () => {
  async function call(method: string, path: string, body?: object) {
    const headers = { authorization: 'Bearer s3cret' }
    const options = { method: method as 'GET', headers, body, ignoreResponseError: true }
    return (await $fetch.raw(`/api/plants${path}`, options)).status
  }
  const aloe = { id: 8, name: 'Aloe' }
  const created = [await call('POST', '', aloe), await call('POST', '', aloe)]
  const listed = await call('GET', '')
  return [...created, listed, await call('DELETE', '/8'), await call('DELETE', '/8')].join(' ')
})
