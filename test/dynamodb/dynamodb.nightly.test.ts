import { once } from 'node:events'
import { createServer } from 'node:http'
import { DynamoDB } from '@aws-sdk/client-dynamodb'
import dynalite from 'dynalite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlantStorage } from '../../src/index.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { type Listening, listen } from '../shared/listen.ts'
import { describeSignal } from '../src/storage/describe-signal.ts'

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

  function connect(endpoint: string): DynamoDB {
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' }
    return new DynamoDB({ endpoint, region: 'local', credentials, maxAttempts: 1 })
  }

  async function createTable(): Promise<string> {
    const TableName = `plants-${tables++}`
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'owner', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
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
  describeSignal((url) => dynamoDbStorage(connect(url), 'plants'))

  it('tells a mistake from a database that is throttling or can’t be reached', async () => {
    const missing = dynamoDbStorage(db, 'missing')
    const calls = [
      async () => missing.list('alice', { limit: 1 }),
      async () => missing.create('alice', { id: 1n, name: 'Fern' }),
      async () => missing.delete('alice', 1n),
    ]
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    }
    await server.close()
    const answer = { 'x-amzn-errortype': 'ThrottlingException' }
    const throttling = createServer((_, response) => response.writeHead(400, answer).end('{}'))
    await once(throttling.listen(server.port, '127.0.0.1'), 'listening')
    await expect(calls[0]).rejects.toMatchObject({ code: 'storage_unavailable' })
    throttling.closeAllConnections()
    await new Promise((resolve) => throttling.close(resolve))
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: 'storage_unavailable' })
    }
  })
})
