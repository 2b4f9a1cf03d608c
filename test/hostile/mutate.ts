import type { Random } from '../shared/random.ts'

/** Bytes that mean something to a parser of HTTP. */
const MEANINGFUL = Buffer.from('\r\n\0 :;,/%?#"\\\t\xff\x80-0', 'latin1')

/** Changes a few bytes: replaces, inserts, removes or repeats them. */
export function mutate(bytes: Uint8Array, random: Random): Buffer {
  let mutated = Buffer.from(bytes)
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(mutated.byteLength + 1)
    const length = random.below(8)
    const before = mutated.subarray(0, at)
    const change = random.pick(changes)
    mutated = Buffer.concat([before, change(mutated.subarray(at), length, random)])
  }
  return mutated
}

type Change = (rest: Buffer, length: number, random: Random) => Buffer

const changes: Change[] = [
  (rest, _length, random) => Buffer.concat([randomBytes(random, 1), rest.subarray(1)]),
  (rest, length, random) => Buffer.concat([randomBytes(random, length), rest]),
  (rest, _length, random) => Buffer.from([random.pick([...MEANINGFUL]), ...rest]),
  (rest, _length, random) => Buffer.from([random.pick([...MEANINGFUL]), ...rest.subarray(1)]),
  (rest, length) => rest.subarray(length),
  (rest, length) => Buffer.concat([rest.subarray(0, length * 8), rest]),
]

export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}
