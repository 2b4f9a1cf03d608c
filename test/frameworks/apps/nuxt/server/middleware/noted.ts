export default defineEventHandler(({ path }) => {
  if (path.includes('noted')) console.log('noted by middleware')
})
