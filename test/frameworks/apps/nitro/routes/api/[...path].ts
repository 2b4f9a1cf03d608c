// routes/api/[...path].ts
import { defineHandler } from 'nitro/h3'
import { store } from '../../lib/plants.ts'

export default defineHandler(({ req }) => store().fetch(req))
