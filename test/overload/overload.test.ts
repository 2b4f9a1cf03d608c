import { expect, it } from 'vitest'
import { overload } from './run.ts'

it('a server survives five times the load that its storage can bear', async () => {
  // Few requests, each slow: server and load have to keep up while other tests use the cores.
  const phases = [
    { perSecond: 250, seconds: 4 },
    { perSecond: 25, seconds: 4 },
  ]
  const { seconds, stored } = await overload('slow:200', true, phases)
  const total = (key: 'good' | 'refused', of = seconds) =>
    of.reduce((sum, one) => sum + one[key], 0)

  expect(total('refused')).toBeGreaterThan(0)
  expect(total('good', seconds.slice(0, 4))).toBeGreaterThan(0)
  // Recovers. Without the protection, nobody is answered in time.
  for (const { good, offered } of seconds.slice(-2)) expect(good).toBeGreaterThan(offered / 2)
  // Without the protection, seven of eight are stored for clients that have left.
  expect(total('good')).toBeGreaterThan(stored / 2)
})
