import { describeExample } from './drive.ts'

describeExample('deno.ts', '/plants')
