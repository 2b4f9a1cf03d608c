import { app } from '../../adapters/mounts/elysia-routes.ts'

app.listen({ port: 0, hostname: '127.0.0.1' }, ({ url }) => console.log(url.href))
