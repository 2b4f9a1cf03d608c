// src/pages/api/[...path].ts
import { store } from '../../../lib/plants.ts'

export const prerender = false
export const ALL = ({ request }: { request: Request }) => store().fetch(request)
