/**
 * Measures whether the time that `staticTokens` takes depends on how much of a guess is right. Run it on an
 * idle machine:
 *
 *     npm run timing
 *
 * Each round has its own tokens and verifier. It times two kinds of guesses in random order: guesses that
 * share characters with tokens that the verifier knows, and guesses that share as many with tokens that it
 * doesn't know. A t-test tells whether the mean of the rounds' differences is zero: |t| above 4.5 is a
 * difference (dudect: Reparaz et al., 2017). A comparison that stops at the first difference is measured
 * too, to show that the method can find one.
 */
import { staticTokens } from '../../src/auth/tokens.ts'
import { median } from '../bench/figures.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 100)
const SAMPLES_PER_ROUND = 400
const GUESSES_PER_SAMPLE = 32
const TOKENS = 10
const LENGTH = 64
const THRESHOLD = 4.5
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

type Verify = (token: string) => unknown

/** The characters that a guess shares with a token. */
const kinds: Record<string, (index: number) => boolean> = {
  nothing: () => false,
  'the first quarter': (index) => index < LENGTH / 4,
  'the first half': (index) => index < LENGTH / 2,
  'the last half': (index) => index >= LENGTH / 2,
  'all but the first character': (index) => index > 0,
  'all but the last character': (index) => index < LENGTH - 1,
}

const differs = report('staticTokens', (tokens) =>
  staticTokens(Object.fromEntries(tokens.map((token) => [token, 'alice']))),
)
if (differs) process.exitCode = 1
report('a comparison that stops at the first difference', stopsEarly)

/** Prints a line for each kind of guess, and returns whether one of them takes longer. */
function report(name: string, makeVerify: (tokens: string[]) => Verify): boolean {
  let differs = false
  console.log(`\n${name}: ${ROUNDS} rounds of ${SAMPLES_PER_ROUND} x ${GUESSES_PER_SAMPLE} guesses`)
  for (const [kind, isShared] of Object.entries(kinds)) {
    round(makeVerify, isShared)
    const rounds = Array.from({ length: ROUNDS }, () => round(makeVerify, isShared))
    const differences = rounds.map(({ right, wrong }) => right - wrong)
    const t = mean(differences) / Math.sqrt(variance(differences) / ROUNDS)
    const isDifferent = Math.abs(t) > THRESHOLD
    differs ||= isDifferent
    const [time, more] = [mean(rounds.map(({ wrong }) => wrong)), mean(differences)]
    const found = isDifferent ? 'a difference' : 'no difference found'
    console.log(
      `  ${kind.padEnd(28)} ${time.toFixed(1)} ns, if right ${more.toFixed(2)} ns more, t = ${t.toFixed(2)}: ${found}`,
    )
  }
  return differs
}

/** Returns the median time per guess, in ns, of partly right guesses and of wrong ones. */
function round(makeVerify: (tokens: string[]) => Verify, isShared: (index: number) => boolean) {
  const known = Array.from({ length: TOKENS }, randomToken)
  const unknown = Array.from({ length: TOKENS }, randomToken)
  const verify = makeVerify(known)
  const right: number[] = []
  const wrong: number[] = []
  for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) {
    const isRight = Math.random() < 0.5
    const tokens = isRight ? known : unknown
    const guesses = Array.from({ length: GUESSES_PER_SAMPLE }, () => guess(tokens, isShared))
    const start = process.hrtime.bigint()
    for (const one of guesses) verify(one)
    const time = Number(process.hrtime.bigint() - start) / GUESSES_PER_SAMPLE
    if (isRight) right.push(time)
    else wrong.push(time)
  }
  return { right: median(right), wrong: median(wrong) }
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

/** Creates a new flat string, as a header's value is. */
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
