import { describeExample } from './drive.ts'

describeExample('bun.ts', '/plants')
