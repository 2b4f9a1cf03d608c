import { expect, it } from 'vitest'
import lock from '../../package-lock.json' with { type: 'json' }

it('npm ci goes on where npm has no such version of Node for the machine, as on macOS', () => {
  expect(lock.packages['node_modules/node']).toMatchObject({ optional: true })
})
