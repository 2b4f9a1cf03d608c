import { expect, it } from 'vitest'
import { overload } from './run.ts'

it('a server survives five times the load that its storage can bear', async () => {
  // Few requests, each slow, of patient clients: server and load have to keep up while other tests use the cores.
  const phases = [
    { perSecond: 250, seconds: 4 },
    { perSecond: 25, seconds: 4 },
  ]
  const { seconds, stored } = await overload('slow:10:200', true, phases, 5000)
  const goodOf = (of: typeof seconds) => of.reduce((sum, { good }) => sum + good, 0)

  expect(seconds.filter(({ failed }) => failed > 0)).toEqual([])
  expect(goodOf(seconds.slice(0, 4))).toBeGreaterThan(0)
  // Recovers. Without the protection, nobody is answered in time.
  for (const { good } of seconds.slice(-2)) expect(good).toBeGreaterThan(0)
  // Without the protection, three of five are stored for clients that have left.
  expect(goodOf(seconds)).toBeGreaterThan(stored / 2)
})
