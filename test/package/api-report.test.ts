import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { API_REPORT, apiReport } from './api-report.ts'

describe('The report of the public API', () => {
  it('is as the code is: if this change of the API is meant, run npm run api', () => {
    expect(apiReport()).toBe(readFileSync(API_REPORT, 'utf8'))
  })
})
