import { defineMiddleware } from 'astro:middleware'

export const onRequest = defineMiddleware(({ url }, next) => {
  if (url.searchParams.has('noted')) console.log('noted by onRequest')
  return next()
})
