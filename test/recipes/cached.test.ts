import { expect, it } from 'vitest'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { askWith } from '../shared/ask.ts'

const LRU_CACHE = import.meta.resolve('lru-cache')
const importFile = guideFiles('docs/tasks/overload.md', (code) =>
  code.replace("'lru-cache'", `'${LRU_CACHE}'`),
)
const { cached } = await importFile('cached.mts')

it('a cached token never waits, however many unknown tokens the database is asked about', async () => {
  const asked: string[] = []
  const ask = askWith(
    cached((token: string) => {
      asked.push(token)
      return token === 'a1' ? Promise.resolve({ owner: 'alice' }) : new Promise(() => {})
    }),
  )
  expect(await ask('a1')).toBe(200)
  for (let i = 0; i < 50; i++) void ask(`unknown-${i}`)
  expect(await ask('a1')).toBe(200)
  expect(asked).toHaveLength(21)
})
