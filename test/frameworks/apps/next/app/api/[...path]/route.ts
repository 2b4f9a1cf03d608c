// app/api/[...path]/route.ts
import { store } from '../../../lib/plants'

const handler = (request: Request) => store().fetch(request)

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
}
