// src/pages/api/[...path].ts
import { openedStore as store } from './store.ts'

export const prerender = false
export const ALL = ({ request }: { request: Request }) => store().fetch(request)
