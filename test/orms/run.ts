// Runs the contract of a storage on the connections of ORMs, which it installs in this folder: npm run test:orms

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'

const folder = import.meta.dirname
const root = join(folder, '../..')
// Prisma would download its engine for migrations, which nothing here uses.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, env, stdio: 'inherit', shell: process.platform === 'win32' })
}

run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], folder)
run('npx', ['prisma', 'generate', '--schema', 'schema.prisma'], folder)
run('npx', ['vitest', 'run', '--config', 'test/orms/vitest.config.ts'], root)
