import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isNightly } from '../shared/nightly.ts'
import { runFaults } from './faults.ts'

// A short run of: npm run faults -- --kills 300 --failovers 100
it('kills, I/O errors, lost connections and failovers lose nothing acknowledged and invent nothing', async () => {
  const [seed] = fc.sample(fc.nat(2 ** 31 - 1), 1)
  // Of PostgreSQL and MariaDB, six are each kind once.
  const results = await runFaults({ kills: isNightly ? 12 : 6, failovers: 1, seed: seed! })
  for (const { engine, operations, violations } of results) {
    expect({ engine, seed, violations }).toEqual({ engine, seed, violations: [] })
    expect(operations).toBeGreaterThan(20)
  }
  expect(results.some(({ errors }) => errors.length > 0)).toBe(true)
}, 300_000)
