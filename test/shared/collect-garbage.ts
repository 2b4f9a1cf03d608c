import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Runs a full garbage collection of V8. */
export const collectGarbage: () => void = runInNewContext('gc')
