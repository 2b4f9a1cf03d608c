import { expect, it } from 'vitest'
import { overload } from './run.ts'

it('a server survives five times the load that its storage can bear', async () => {
  const phases = [
    { perSecond: 1000, seconds: 4 },
    { perSecond: 100, seconds: 4 },
  ]
  const { seconds, stored } = await overload('slow', true, phases)
  const total = (key: 'good' | 'refused', of = seconds) =>
    of.reduce((sum, one) => sum + one[key], 0)

  expect(total('refused')).toBeGreaterThan(0)
  expect(total('good', seconds.slice(0, 4))).toBeGreaterThan(0)
  // Recovers. Without the protection, nobody is answered in time. All are, unless the machine is busy with other tests.
  for (const { good, offered } of seconds.slice(-2)) expect(good).toBeGreaterThan(offered / 2)
  // Without the protection, seven of eight are stored for clients that have left.
  expect(total('good')).toBeGreaterThan(stored / 2)
})
