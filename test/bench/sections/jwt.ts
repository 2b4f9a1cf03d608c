import { ratioRow, type Section } from '../figures.ts'
import { ask, startScript, stop } from '../processes.ts'

const GENERATIONS = 3

/** The CPU of a list of 10 through `handle`, with the kinds of token that real apps have. */
export const jwt: Section = {
  name: 'jwt',
  about: 'list 10 with JWTs and introspected tokens, without HTTP: CPU',
  async run() {
    const costs: Record<string, number[]> = {}
    for (let generation = 0; generation < GENERATIONS; generation++) {
      const child = startScript('server', 'jwt-process.ts')
      const known = ask<typeof costs>(child, { what: 'measure', warmUp: 20, rounds: 10 })
      for (const [name, series] of Object.entries(await known.finally(() => stop(child)))) {
        costs[name] = [...(costs[name] ?? []), ...series]
      }
    }

    const row = (tokens: string, own: string, to: string, unit: string, atMost: number) =>
      ratioRow(
        { work: `list 10 with ${tokens}`, subject: 'plant-store, CPU', unit, atMost },
        costs[own]!,
        costs[to]!,
        'µs',
      )
    const seen = (token: string, own: string) =>
      row(`${token} seen before`, own, 'static', '× static token', 1.2)
    return [
      ...['RS256', 'ES256', 'EdDSA', 'HS256'].flatMap((alg) => [
        seen(`a JWT (${alg})`, `${alg} seen`),
        row(`JWTs (${alg}) never seen`, `${alg} never seen`, `${alg} jose`, '× jose', 1.1),
      ]),
      seen('an introspected token', 'introspection'),
    ]
  },
}
