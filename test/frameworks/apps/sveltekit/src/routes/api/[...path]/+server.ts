// src/routes/api/[...path]/+server.ts
import { store } from '../../../../lib/plants.ts'

export const fallback = ({ request }: { request: Request }) => store().fetch(request)
