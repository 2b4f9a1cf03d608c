import { createMiddleware, createStart } from '@tanstack/react-start'

const noting = createMiddleware().server(({ request, next }) => {
  if (request.url.includes('noted')) console.log('noted by requestMiddleware')
  return next()
})

export const startInstance = createStart(() => ({ requestMiddleware: [noting] }))
