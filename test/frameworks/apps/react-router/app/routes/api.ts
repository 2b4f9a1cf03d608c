// app/routes/api.ts
import { store } from '../../lib/plants.ts'

const handler = ({ request }: { request: Request }) => store().fetch(request)

export { handler as action, handler as loader }
