import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serve } from '../../adapters/node.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { filesOf } from '../docs/guides/guides.ts'
import { run } from '../runtimes/program.ts'
import { skipBecause } from '../shared/skip.ts'
import { folderOfTests } from '../shared/temporary-folder.ts'

const isMissing = spawnSync('python3', ['-c', 'import requests']).status !== 0

const PROGRAM = `
import json, sys
import requests
from plants import Plants

plants = Plants(sys.argv[1], 'demo-token')
largest = 2**63 - 1
created = [plants.create(largest, 'Monstera', 'indoor'), plants.create(-largest - 1, 'Fern')]
def failing(call):
    try:
        call()
    except requests.HTTPError as failure:
        return [failure.response.status_code, failure.response.json()['error']]
failures = [
    failing(lambda: plants.create(largest, 'Again')),
    failing(lambda: plants.delete(-5)),
    failing(lambda: list(Plants(sys.argv[1], 'wrong').list())),
    failing(lambda: list(Plants(sys.argv[1] + '/elsewhere', 'demo-token').list())),
]
names = [plant['name'] for plant in plants.list()]
plants.delete(largest)
print(json.dumps({ 'created': created, 'failures': failures, 'names': names, 'left': len(list(plants.list())) }))
`

describe('The client in Python of the recipe', () => {
  skipBecause(isMissing && 'needs python3 with its package requests')
  const folder = folderOfTests()
  for (const [file, code] of filesOf('docs/recipes/python.md'))
    writeFileSync(join(folder, file), code)

  async function python(args: string[]) {
    const { stdout } = await run('python3', args, { cwd: folder })
    return stdout
  }

  it('creates, lists all pages, deletes, and tells failures apart, below any path', async () => {
    const many = Array.from({ length: 1200 }, (_, id) => ({ id: BigInt(id), name: `Moss ${id}` }))
    const store = createPlantStore(
      memoryStorage({ alice: many }),
      staticTokens({ 'demo-token': 'alice' }),
      { basePath: '/api' },
    )
    await using server = await serve(store, { port: 0, signals: false })
    writeFileSync(join(folder, 'program.py'), PROGRAM)
    const result = JSON.parse(await python(['program.py', `${server.url}/api`]))
    expect(result.created).toEqual([{ name: 'Monstera', tag: 'indoor' }, { name: 'Fern' }])
    expect(result.names).toEqual(['Fern', ...many.map(({ name }) => name), 'Monstera'])
    expect(result.left).toBe(1201)
    expect(result.failures).toEqual([
      [400, 40003],
      [404, 40401],
      [401, 40102],
      [404, 40402],
    ])
  })

  it('is used by a program as shown', async () => {
    const store = createPlantStore(memoryStorage(), staticTokens({ 'demo-token': 'alice' }))
    await using server = await serve(store, { port: 0, signals: false })
    const code = filesOf('docs/recipes/python.md').get('garden.py')!
    writeFileSync(join(folder, 'garden.py'), code.replace('http://127.0.0.1:3000', server.url))
    expect(await python(['garden.py'])).toBe("['Monstera']\n")
  })
})
