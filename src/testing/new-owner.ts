const run = Math.random().toString(36).slice(2, 10)
let owners = 0

/**
 * Returns an owner whom no other test uses, in this run or another, so that the plants that are in the storage disturb no
 * test. The name says where plants come from that a run has left behind because it was killed.
 */
export function newOwner(name = 'alice'): string {
  return `test-${run}.${++owners}-${name}`
}

/** Returns an id that no plant of any owner has. */
export function randomId(): bigint {
  return BigInt.asIntN(63, BigInt(`0x${crypto.randomUUID().replaceAll('-', '').slice(16)}`))
}
