// src/routes/api/[...path]/+server.ts
import { openedStore as store } from './store.ts'

export const fallback = ({ request }: { request: Request }) => store().fetch(request)
