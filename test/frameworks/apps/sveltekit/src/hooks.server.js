export function handle({ event, resolve }) {
  if (event.url.searchParams.has('noted')) console.log('noted by handle')
  return resolve(event)
}
