import type { VerifierContext } from '../../request-context.ts'

/** The part of a verifier's context that the bundled verifiers use. */
export type Refusing = Pick<VerifierContext, 'refuse'>

/** Returns null, and says why if there is somebody to tell. */
export function refuse(context: Refusing | undefined, reason: string): null {
  return context?.refuse?.(reason) ?? null
}

/** Says which option a value fails. */
export function mismatch(option: string, value: unknown, expected: unknown): string {
  return `${option} is ${shown(value)}, expected ${[expected].flat().map(shown).join(' or ')}`
}

/** Shows what a token says, shortened. */
export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100)
}
