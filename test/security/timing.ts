/**
 * Does the time that `staticTokens` takes tell how much of a guess is right? Run it on a machine that
 * has nothing else to do:
 *
 *     node test/security/timing.ts
 *
 * A round has tokens and a verifier of its own. In it, guesses that share characters with tokens that
 * the verifier knows, and guesses that share just as many with tokens that it doesn't know, are timed
 * in random order. Whether the rounds' differences have a mean is the question for a t-test: |t| above
 * 4.5 (as in dudect, Reparaz et al., 2017) is a difference. A comparison that stops at the first
 * difference is measured too: that the method finds it shows that it can.
 */
import { staticTokens } from '../../src/auth/tokens.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 100)
const SAMPLES_A_ROUND = 400
const GUESSES_A_SAMPLE = 32
const TOKENS = 10
const LENGTH = 64
const THRESHOLD = 4.5
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

type Verify = (token: string) => unknown

/** Which characters of a guess are those of a token. */
const kinds: Record<string, (index: number) => boolean> = {
  nothing: () => false,
  'the first quarter': (index) => index < LENGTH / 4,
  'the first half': (index) => index < LENGTH / 2,
  'the last half': (index) => index >= LENGTH / 2,
  'all but the first character': (index) => index > 0,
  'all but the last character': (index) => index < LENGTH - 1,
}

report('staticTokens', (tokens) =>
  staticTokens(Object.fromEntries(tokens.map((token) => [token, 'alice']))),
)
report('a comparison that stops at the first difference', stopsEarly)

function report(name: string, makeVerify: (tokens: string[]) => Verify): void {
  console.log(`\n${name}: ${ROUNDS} rounds of ${SAMPLES_A_ROUND} x ${GUESSES_A_SAMPLE} guesses`)
  for (const [kind, isShared] of Object.entries(kinds)) {
    round(makeVerify, isShared)
    const rounds = Array.from({ length: ROUNDS }, () => round(makeVerify, isShared))
    const differences = rounds.map(({ right, wrong }) => right - wrong)
    const t = mean(differences) / Math.sqrt(variance(differences) / ROUNDS)
    console.log(
      [
        `  ${kind.padEnd(28)}`,
        `${mean(rounds.map(({ wrong }) => wrong))
          .toFixed(1)
          .padStart(6)} ns,`,
        `if right ${mean(differences).toFixed(2).padStart(6)} ns more, t = ${t.toFixed(2).padStart(7)}:`,
        Math.abs(t) > THRESHOLD ? 'a difference' : 'none to be seen',
      ].join(' '),
    )
  }
}

/** The median time of a guess, in ns: of partly right ones, and of others made in the same way. */
function round(makeVerify: (tokens: string[]) => Verify, isShared: (index: number) => boolean) {
  const known = Array.from({ length: TOKENS }, randomToken)
  const unknown = Array.from({ length: TOKENS }, randomToken)
  const verify = makeVerify(known)
  const right: number[] = []
  const wrong: number[] = []
  for (let sample = 0; sample < SAMPLES_A_ROUND; sample++) {
    const isRight = Math.random() < 0.5
    const tokens = isRight ? known : unknown
    const guesses = Array.from({ length: GUESSES_A_SAMPLE }, () => guess(tokens, isShared))
    const start = process.hrtime.bigint()
    for (const one of guesses) verify(one)
    const time = Number(process.hrtime.bigint() - start) / GUESSES_A_SAMPLE
    if (isRight) right.push(time)
    else wrong.push(time)
  }
  return { right: median(right), wrong: median(wrong) }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: number[]): number {
  const center = mean(values)
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1)
}

function randomToken(): string {
  return Array.from({ length: LENGTH }, randomCharacter).join('')
}

function randomCharacter(): string {
  return ALPHABET[Math.floor(Math.random() * ALPHABET.length)]!
}

/** In one piece, as a header's value is, and new each time. */
function guess(tokens: string[], isShared: (index: number) => boolean): string {
  const token = tokens[Math.floor(Math.random() * tokens.length)]!
  const bytes = Buffer.alloc(LENGTH)
  for (let index = 0; index < LENGTH; index++) {
    const shared = token.charCodeAt(index)
    let other = shared
    while (other === shared) other = randomCharacter().charCodeAt(0)
    bytes[index] = isShared(index) ? shared : other
  }
  return bytes.toString('latin1')
}

function stopsEarly(tokens: string[]): Verify {
  return (guessed) =>
    tokens.some((token) => {
      for (let index = 0; index < LENGTH; index++) if (token[index] !== guessed[index]) return false
      return true
    })
}
