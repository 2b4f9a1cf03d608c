import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const directory = join(import.meta.dirname, '../../.github/workflows')

// A tag can be moved to other code, a digest can't.
describe.each(readdirSync(directory))('The workflow %s', (file) => {
  const workflow = readFileSync(join(directory, file), 'utf8')

  it('names each action by its digest, with the version beside it', () => {
    const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action!)
    const others = actions.filter((action) => !action.startsWith('./'))
    expect(others.length).toBeGreaterThan(0)
    for (const action of others) expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v[\d.]+$/)
  })

  it('starts without rights', () => {
    expect(workflow).toMatch(/^permissions: \{\}$/m)
  })
})
