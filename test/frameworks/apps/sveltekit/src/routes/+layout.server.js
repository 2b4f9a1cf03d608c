export function load({ url }) {
  if (url.searchParams.has('noted')) console.log('noted by load')
}
