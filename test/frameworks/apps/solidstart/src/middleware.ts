import { createMiddleware } from '@solidjs/start/middleware'

export default createMiddleware({
  onRequest({ request }) {
    if (request.url.includes('noted')) console.log('noted by onRequest')
  },
})
