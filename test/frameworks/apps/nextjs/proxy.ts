// Before the route runs, Next.js reads the whole body of a request that the proxy may see.
export const config = {
  matcher: [{ source: '/api/plants', has: [{ type: 'query', key: 'noted' }] }],
}

export function proxy() {
  console.log('noted by proxy')
}
