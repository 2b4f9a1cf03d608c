import { createPlantClient } from 'plant-store/client'

async function withSlash(request: Request) {
  const url = request.url.replace(/\/?(?=\?|$)/, '/')
  const { method, headers, redirect, signal } = request
  // Browsers refuse to stream the body of a Request over HTTP/1.1.
  const body = (await request.text()) || null
  return fetch(url, { method, headers, redirect, signal, body })
}
export const plants = createPlantClient({
  baseUrl: 'https://garden.example/api',
  token: 's3cret',
  fetch: withSlash,
})
