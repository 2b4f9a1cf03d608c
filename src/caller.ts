import type { Scope } from './auth-verifier.ts'
import { storableText } from './plant.ts'

/** Every scope there is. */
export const SCOPES: readonly unknown[] = ['plants:read', 'plants:write'] satisfies Scope[]

/** Whether plants can be kept under this owner. */
export function isOwner(owner: unknown): owner is string {
  return typeof owner === 'string' && owner !== '' && storableText.test(owner)
}
