import type { JWTVerifyGetKey } from 'jose'
import type { JwtAlgorithm } from './algorithms.ts'

/** The keys of a verifier. */
export interface JwtKeys extends KeySet {
  /** The algorithms that fit the kind of key. */
  readonly algorithms: readonly JwtAlgorithm[]
}

/** Keys that may change, because another server provides them. */
export interface KeySet {
  /** Finds the key for a token's header. */
  readonly findKey: JWTVerifyGetKey
  /** Identifies the current keys. Undefined if they must be fetched first. */
  version(now: number): string | undefined
  /** Fetches the keys. */
  load(): Promise<void>
}
