import { describeExample } from './drive.ts'

describeExample('fastify.ts', '/api/v1/plants')
