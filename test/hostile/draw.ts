import { random } from '../shared/random.ts'
import { attacks } from './attacks.ts'
import { type Connection, ENDINGS } from './connection.ts'
import type { Protocol } from './protocols.ts'
import { validRequests } from './requests.ts'

const totalWeight = attacks.reduce((sum, { weight }) => sum + weight, 0)

/** Hostile connections by index. The same seed and index give the same connection. */
export function* hostileConnections(
  protocol: Protocol,
  seed: number,
  from: number,
  count: number,
): Generator<Connection> {
  for (let index = from; index < from + count; index++) {
    const dice = random(Math.imul(seed, 0x9e3779b1) + index)
    let left = dice.below(totalWeight)
    const { name, draw } = attacks.find(({ weight }) => {
      left -= weight
      return left < 0
    })!
    const { steps, ending = dice.pick(ENDINGS), detail } = draw(dice, protocol)
    yield {
      name: `#${index} ${[name, detail, ending].filter(Boolean).join(', ')}`,
      steps: [{ send: protocol.begin }, ...steps],
      ending,
    }
  }
}

/** Valid requests that are broken off at every byte, by a reset and by a half-close. */
export function* everyOffset({ begin, write }: Protocol): Generator<Connection> {
  for (const whole of validRequests('later').map((parts) => write(parts))) {
    for (let bytes = 0; bytes <= whole.byteLength; bytes++) {
      for (const ending of ['reset', 'half-close'] as const) {
        const send = Buffer.concat([begin, whole.subarray(0, bytes)])
        const name = `${whole.subarray(0, 8).toString('latin1')}…, ${bytes} bytes, ${ending}`
        yield { name, steps: [{ send }], ending }
      }
    }
  }
}
