import { describeExample } from './drive.ts'

describeExample('hono.ts', '/api/v1/plants')
