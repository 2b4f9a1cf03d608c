import type { Broken } from './broken-storages/broken.ts'
import { concurrency } from './broken-storages/concurrency.ts'
import { creating } from './broken-storages/creating.ts'
import { deleting } from './broken-storages/deleting.ts'
import { ids } from './broken-storages/ids.ts'
import { owners } from './broken-storages/owners.ts'
import { paging } from './broken-storages/paging.ts'
import { results } from './broken-storages/results.ts'
import { texts } from './broken-storages/texts.ts'

/** Storages that break the contract, by the part that they break. Each name says how. */
export const brokenStorages: Record<string, Broken> = {
  paging,
  ids,
  creating,
  deleting,
  owners,
  texts,
  results,
  concurrency,
}
