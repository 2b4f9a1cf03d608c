import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks, GUIDES, readGuide } from '../docs/guides/guides.ts'

const guides = GUIDES.filter((guide) => guide.startsWith('adapters/'))
const text = guides.map(readGuide).join('\n')
const blocks = [...guides, 'src/testing/README.md'].flatMap(codeBlocks)
const directory = join(import.meta.dirname, 'mounts')
const apps = join(import.meta.dirname, '../frameworks/apps')
const mounts = readdirSync(directory).filter((file) => !/^store\.ts$|\.d\.ts$/.test(file))

/** The lines of a mount's file without its imports and the creation of the app. */
function linesOf(file: string): string[] {
  const code = readFileSync(join(directory, file), 'utf8')
  const body = code.replace(/^(?:import|\/\/).*$/gm, '').replace(/^export const app = .*$/m, '')
  return body.split('\n').filter((line) => line !== '')
}

describe('The guide', () => {
  it.each(mounts)('shows the lines that %s mounts the store with', (file) => {
    const lines = linesOf(file)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(text).toContain(line.replace(/^export const server/, 'const server'))
  })

  /** The file of each app of `test/frameworks` that mounts the store, as a framework's build finds it. */
  const routes: Record<string, string> = {
    astro: 'src/pages/api/[...path].ts',
    next: 'app/api/[...path]/route.ts',
    nitro: 'routes/api/[...path].ts',
    nuxt: 'server/routes/api/[...path].ts',
    'react-router': 'app/routes/api.ts',
    sveltekit: 'src/routes/api/[...path]/+server.ts',
  }

  it.each(Object.entries(routes))('shows the file that mounts the store in %s', (app, file) => {
    const block = blocks.find((block) => block.file === file)
    expect(readFileSync(join(apps, app, file), 'utf8')).toBe(block?.code)
  })

  /** Where an app of `test/frameworks` mounts the store, and an import of the guide's code for it. */
  const servers: Record<string, [file: string, importOfBlock: string]> = {
    elysia: ['server.ts', "from 'elysia'"],
    express: ['server.js', "from 'plant-store/express'"],
    fastify: ['server.js', "from 'fastify'"],
    h3: ['server.js', "{ H3 } from 'h3'"],
    'hono-bun': ['server.ts', "from 'hono'"],
    'hono-node': ['server.ts', "from 'hono'"],
    koa: ['server.js', "from 'koa'"],
    'lambda with Hono': ['hono.js', "from 'hono/aws-lambda'"],
    'lambda with srvx': ['srvx.js', "from 'srvx/aws-lambda'"],
    msw: ['plants.spec.ts', "from 'msw'"],
    'nest-express': ['src/main.ts', "NestFactory } from '@nestjs/core'"],
    'nest-fastify': ['src/main.ts', "from '@nestjs/platform-fastify'"],
  }

  /** What an app has in its own form: the creation of the store, the port, and a module of NestJS. */
  const OWN_LINES = /from '\.\/store\.ts'|\.listen\(|\bModule\b|class AppModule|^\/\/|^$/

  it.each(Object.entries(servers))(
    'shows the lines that the app %s mounts the store with',
    (app, [file, importOfBlock]) => {
      const code = readFileSync(join(apps, app.split(' ')[0]!, file), 'utf8').split('\n')
      const block = blocks.find((block) => block.code.includes(importOfBlock))
      const lines = block!.code.split('\n').filter((line) => !OWN_LINES.test(line))
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.filter((line) => !code.includes(line))).toEqual([])
    },
  )
})
