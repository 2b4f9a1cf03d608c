import { CREATE, duels, LIST } from '../compare.ts'
import { bun, deno, workerd } from '../servers.ts'

/** The plant store on other runtimes, each against a bare fetch handler on the same runtime. */
export const runtimes = duels(
  'runtimes',
  'Bun, Deno and workerd: server CPU against a bare fetch handler',
  { works: [LIST, CREATE], measures: ['cpu'], atMost: 1.1, generations: 3, rounds: 10 },
  [
    ['on Bun', bun('plant-store', 'plant-store'), bun('bare', 'bare-fetch')],
    ['on Deno', deno('plant-store', 'plant-store'), deno('bare', 'bare-fetch')],
    ['on workerd', workerd('plant-store', 'workerd-plant-store'), workerd('bare', 'workerd-bare')],
  ],
)
