import { access } from './access.ts'
import { bodies } from './bodies.ts'
import { connections } from './connections.ts'
import { creates } from './creates.ts'
import { paths } from './paths.ts'
import { plants } from './plants.ts'
import type { AdapterRules } from './rule.ts'
import { streams } from './streams.ts'

/** Every rule of the HTTP contract that a host may break, by name. */
export const rules: AdapterRules = {
  ...creates,
  ...paths,
  ...access,
  ...plants,
  ...bodies,
  ...connections,
  ...streams,
}
