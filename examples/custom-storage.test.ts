// Tests the storage against the contract: node --test examples/custom-storage.test.ts
// In your own project, import from 'plant-store' and 'plant-store/testing'.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { testPlantStorage } from '../src/testing.ts'
import { jsonLinesStorage } from './custom-storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'plants-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
const newFile = () => join(folder, `${files++}.jsonl`)

testPlantStorage({ describe, it }, () => jsonLinesStorage(newFile()))

describe('jsonLinesStorage', () => {
  it('has all plants of a reopened file, and no plant from a truncated line', () => {
    const file = newFile()
    const before = jsonLinesStorage(file)
    before.create('alice', { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' })
    before.create('alice', { id: 1n, name: 'Fern' })
    before.delete('alice', 1n)
    appendFileSync(file, '{"owner":"alice","id":"2","na')

    for (const storage of [jsonLinesStorage(file), jsonLinesStorage(file)]) {
      assert.deepEqual(storage.list('alice', { limit: 10 }), [
        { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' },
      ])
      storage.create('alice', { id: 3n, name: 'Ivy' })
      storage.delete('alice', 3n)
    }
  })
})
