// Tests the host at HOST_URL in the test framework named by TEST_FRAMEWORK.

import { testPlantAdapter } from '../../../src/testing.ts'

const { TEST_FRAMEWORK, HOST_URL } = process.env

testPlantAdapter(await import(TEST_FRAMEWORK!), () => ({ url: HOST_URL! }))
