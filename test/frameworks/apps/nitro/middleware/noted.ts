import { defineHandler } from 'nitro/h3'

export default defineHandler(({ url }) => {
  if (url.searchParams.has('noted')) console.log('noted by middleware')
})
