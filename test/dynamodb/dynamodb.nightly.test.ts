import { DynamoDB } from '@aws-sdk/client-dynamodb'
// @ts-expect-error It has no types of its own.
import dynalite from 'dynalite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlantStorage } from '../../src/index.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { type Listening, listen } from '../shared/listen.ts'
import { expectEachCallToThrow } from '../src/storage/each-call.ts'

describe('The DynamoDB storage of the guide', () => {
  const importFile = guideFiles('docs/storages/dynamodb.md')
  let dynamoDbStorage: (db: DynamoDB, tableName: string) => PlantStorage
  let server: Listening
  let db: DynamoDB
  let tables = 0

  beforeAll(async () => {
    ;({ dynamoDbStorage } = await importFile('dynamodb.mts'))
    server = await listen(dynalite({ createTableMs: 0 }))
    // It would close idle connections just as the SDK sends on them, and a request is sent once only.
    server.server.keepAliveTimeout = 0
    db = connect(server.url)
  })
  afterAll(() => server.close())

  function connect(endpoint: string, requestHandler = {}): DynamoDB {
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' }
    return new DynamoDB({ endpoint, region: 'local', credentials, maxAttempts: 1, requestHandler })
  }

  async function createTable(): Promise<string> {
    const TableName = `plants-${tables++}`
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'ownerId', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'ownerId', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
    })
    const isActive = async () => (await db.describeTable({ TableName })).Table!.TableStatus
    await expect.poll(isActive).toBe('ACTIVE')
    return TableName
  }

  testPlantStorage({ describe, it }, async () => dynamoDbStorage(db, await createTable()), {
    manyPlants: 100,
    maxBodyBytes: 400_000,
  })

  const unavailable = expect.objectContaining({ code: 'storage_unavailable' })

  it('is unavailable when the database falls silent, by the settings of the guide', async () => {
    const silent = await listen(() => {})
    const limits = { requestTimeout: 100, throwOnRequestTimeout: true }
    await expectEachCallToThrow(dynamoDbStorage(connect(silent.url, limits), 'plants'), unavailable)
    await silent.close()
  })

  it('is unavailable when the database is throttled or can’t be reached', async () => {
    const answer = { 'x-amzn-errortype': 'ThrottlingException' }
    const throttling = await listen((_, response) => response.writeHead(400, answer).end('{}'))
    const storage = dynamoDbStorage(connect(throttling.url), 'plants')
    await expectEachCallToThrow(storage, unavailable)
    await throttling.close()
    await expectEachCallToThrow(storage, unavailable)
  })
})
