import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { PlantStorage } from '../../src/index.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'

const importFile = guideFiles('docs/tasks/write-a-storage.md')
const folder = mkdtempSync(join(tmpdir(), 'plants-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const newFile = () => join(folder, `${files++}.jsonl`)

async function open(file: string): Promise<PlantStorage> {
  const { jsonLinesStorage } = await importFile('json-lines.mts')
  return jsonLinesStorage(file)
}

testPlantStorage({ describe, it }, () => open(newFile()))

describe('jsonLinesStorage', () => {
  it('has all plants of a reopened file, and no plant from a truncated line', async () => {
    const file = newFile()
    const before = await open(file)
    await before.create('alice', { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' })
    await before.create('alice', { id: 1n, name: 'Fern' })
    await before.delete('alice', 1n)
    appendFileSync(file, '{"owner":"alice","id":"2","na')

    for (const storage of [await open(file), await open(file)]) {
      expect(await storage.list('alice', { limit: 10 })).toEqual([
        { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'indoor' },
      ])
      await storage.create('alice', { id: 3n, name: 'Ivy' })
      await storage.delete('alice', 3n)
    }
  })
})
