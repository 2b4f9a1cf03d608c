import { describe, it } from 'node:test'
import { testPlantStorage } from 'plant-store/testing'
import { myStorage } from './my-storage.mts'

testPlantStorage({ describe, it }, () => myStorage())
