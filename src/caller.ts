import type { Scope } from './auth-verifier.ts'
import { isStorableText } from './plant.ts'

/** Every scope there is. */
export const SCOPES: readonly unknown[] = ['plants:read', 'plants:write'] satisfies Scope[]

/** Whether plants can be kept under this owner. */
export function isOwner(owner: unknown): owner is string {
  return isStorableText(owner) && owner !== ''
}
