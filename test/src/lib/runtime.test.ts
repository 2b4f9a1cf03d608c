import { expect, it, vi } from 'vitest'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

it('An app that has replaced the global Promise is told so, and not that Node is too old', () => {
  class Bluebird {}
  vi.stubGlobal('Promise', Bluebird)
  try {
    expect(() => createPlantStore(memoryStorage(), () => null)).toThrow('global.Promise = bluebird')
  } finally {
    vi.unstubAllGlobals()
  }
})
