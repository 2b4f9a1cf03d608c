import { CREATE, duel, LIST } from '../compare.ts'
import { bun, deno, workerd } from '../servers.ts'

const KIND = {
  works: [LIST, CREATE],
  measures: { cpu: { atMost: 1.2 } },
  generations: 3,
  rounds: 10,
}

/** The plant store on other runtimes, each against a bare fetch handler on the same runtime: server CPU. */
export const run = async () => [
  ...(await duel({
    ...KIND,
    where: 'on Bun',
    own: bun('plant-store', 'plant-store'),
    other: bun('bare', 'bare-fetch'),
  })),
  ...(await duel({
    ...KIND,
    where: 'on Deno',
    own: deno('plant-store', 'plant-store'),
    other: deno('bare', 'bare-fetch'),
  })),
  ...(await duel({
    ...KIND,
    where: 'on workerd',
    own: workerd('plant-store', 'workerd-plant-store'),
    other: workerd('bare', 'workerd-bare'),
  })),
]
