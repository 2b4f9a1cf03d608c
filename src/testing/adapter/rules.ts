import { access } from './access.ts'
import { bodies } from './bodies.ts'
import { connections } from './connections.ts'
import { creates } from './creates.ts'
import { lists } from './lists.ts'
import { paths } from './paths.ts'
import { plants } from './plants.ts'
import type { AdapterRules } from './rule.ts'

/** Every rule of the HTTP contract that a host may break, by name. */
export const rules: AdapterRules = {
  ...creates,
  ...paths,
  ...access,
  ...plants,
  ...lists,
  ...bodies,
  ...connections,
}
