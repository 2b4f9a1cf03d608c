import { describeExample } from './drive.ts'

describeExample('express.ts', '/api/v1/plants')
