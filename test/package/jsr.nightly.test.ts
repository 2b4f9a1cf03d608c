import { buffer } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import jsr from '../../jsr.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../runtimes/program.ts'
import { listening } from '../shared/listening.ts'
import { DENO, run } from './packed-project.ts'

describe('The package on JSR', () => {
  it('has the version, the license and the modules of the package on npm', () => {
    const modules = Object.entries(manifest.exports).flatMap(([name, target]) =>
      typeof target === 'string' ? [] : [[name, target.default]],
    )
    const sources = modules.map(([name, file]) => [
      name,
      file!.replace('./dist/', './').replace(/js$/, 'ts'),
    ])
    expect(jsr.exports).toEqual(Object.fromEntries(sources))
    expect(jsr).toMatchObject({ version: manifest.version, license: manifest.license })
  })

  // A slow type is one that JSR can't read without inference: it would cost users type checking time.
  it('could be published, without slow types and without warnings', async () => {
    const publish = ['publish', '--dry-run', '--allow-dirty']
    const { stdout, stderr } = await run(DENO, publish, { cwd: ROOT })
    const output = stripVTControlCharacters(stdout + stderr)
    expect(output).toContain('Success')
    expect(output).not.toMatch(/^ *(?:warning|error)/im)
  })

  it('imports other packages by a range, so that its users get their patches', async () => {
    let tarball: Buffer | undefined
    const { url } = await listening(async (request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.method === 'POST') tarball = await buffer(request)
      else if (request.url!.includes('/versions/')) {
        // There is no such version yet.
        return response.writeHead(404).end('{"code":"packageVersionNotFound","message":""}')
      }
      return response.end('{"id":"1","status":"success","scope":"s","name":"n"}')
    })
    const publish = ['publish', '--allow-dirty', '--no-check', '--no-provenance', '--token', 'any']
    await run(DENO, publish, { cwd: ROOT, env: { ...process.env, JSR_URL: `${url}/` } })
    const published = gunzipSync(tarball!).toString('latin1')
    const imported = [...published.matchAll(/from '(npm:[^']+)'/g)].map(([, name]) => name!)
    const { dependencies } = manifest
    expect([...new Set(imported)].sort()).toEqual([
      jsr.imports.fastify,
      `npm:itty-router@${dependencies['itty-router']}`,
      `npm:itty-router@${dependencies['itty-router']}/IttyRouter`,
      jsr.imports.jose,
      `npm:zod@${dependencies.zod}/mini`,
    ])
    for (const name of imported) expect(name).toMatch(/@\^/)
  })
})
