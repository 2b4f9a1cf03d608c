import { median, type Row, ratio, type Section, type Target } from '../figures.ts'
import { ask, startScript, stop } from '../processes.ts'

const GENERATIONS = 3
const ROUNDS = 8
const WARM_UP = 4

/** The CPU of a list of 10 through `handle`, with the kinds of token that real apps have. */
export const jwt: Section = {
  name: 'jwt',
  about: 'list 10 with JWTs and introspected tokens, without HTTP: CPU',
  async run() {
    const costs: Record<string, number[]> = {}
    for (let generation = 0; generation < GENERATIONS; generation++) {
      const child = startScript('server', 'jwt-process.ts')
      try {
        for (let round = -WARM_UP; round < ROUNDS; round++) {
          const known = await ask<Record<string, number>>(child, { what: 'round', round })
          if (round < 0) continue
          for (const [name, cost] of Object.entries(known)) {
            costs[name] ??= []
            costs[name].push(cost)
          }
        }
      } finally {
        await stop(child)
      }
    }

    function row(work: string, own: string, to: string, unit: string, target: Target): Row {
      const [of, base] = [costs[own]!, costs[to]!]
      const note = `${median(of).toFixed(1)} and ${median(base).toFixed(1)} µs`
      return { work, subject: 'plant-store, CPU', ...ratio(of, base), unit, ...target, note }
    }
    const seen = (what: string, own: string) =>
      row(`list 10 with ${what} seen before`, own, 'static', '× static token', { atMost: 1.25 })
    return [
      ...['RS256', 'ES256', 'EdDSA', 'HS256'].flatMap((alg) => [
        seen(`a JWT (${alg})`, `${alg} seen`),
        row(`list 10 with JWTs (${alg}) never seen`, `${alg} never seen`, `${alg} jose`, '× jose', {
          atMost: 1.1,
        }),
      ]),
      seen('an introspected token', 'introspection'),
    ]
  },
}
