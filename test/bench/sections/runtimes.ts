import { CREATE, duels, LIST } from '../compare.ts'
import { bun, deno, workerd } from '../servers.ts'

const KIND = {
  works: [LIST, CREATE],
  measures: { cpu: { atMost: 1.2 } },
  generations: 3,
  rounds: 10,
} as const

/** The plant store on other runtimes, each against a bare fetch handler on the same runtime. */
export const runtimes = duels(
  'runtimes',
  'Bun, Deno and workerd: server CPU against a bare fetch handler',
  [
    [KIND, 'on Bun', bun('plant-store', 'plant-store'), bun('bare', 'bare-fetch')],
    [KIND, 'on Deno', deno('plant-store', 'plant-store'), deno('bare', 'bare-fetch')],
    [
      KIND,
      'on workerd',
      workerd('plant-store', 'workerd-plant-store'),
      workerd('bare', 'workerd-bare'),
    ],
  ],
)
