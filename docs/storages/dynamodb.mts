import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import {
  type PlantStorage,
  type StorageCall,
  StorageUnavailableError,
  type StoredPlant,
} from 'plant-store'

export function dynamoDbStorage(db: DynamoDB, TableName = 'plants'): PlantStorage {
  return {
    create(owner, { id, name, tag }, call) {
      const Item = {
        ...keyOf(owner, id),
        name: { S: name },
        ...(tag !== undefined && { tag: { S: tag } }),
      }
      const put = { TableName, Item, ConditionExpression: 'attribute_not_exists(id)' }
      return applies(db.putItem(put, abortable(call)))
    },
    async list(owner, { after, limit }, call) {
      const query = {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: '#owner = :owner',
        ExpressionAttributeNames: { '#owner': 'owner' }, // a reserved word
        ExpressionAttributeValues: { ':owner': { S: owner } },
      }
      const plants: StoredPlant[] = []
      let last = after === undefined ? undefined : keyOf(owner, after)
      do {
        // A response has at most 1 MB, so a page may take several.
        const from = last && { ExclusiveStartKey: last }
        const input = { ...query, ...from, Limit: limit - plants.length }
        const page = await db.query(input, abortable(call)).catch(fail)
        for (const { id, name, tag } of page.Items!) {
          plants.push({ id: BigInt(id!.N!), name: name!.S!, ...(tag && { tag: tag.S! }) })
        }
        last = page.LastEvaluatedKey as typeof last
      } while (last && plants.length < limit)
      return plants
    },
    delete(owner, id, call) {
      const remove = {
        TableName,
        Key: keyOf(owner, id),
        ConditionExpression: 'attribute_exists(id)',
      }
      return applies(db.deleteItem(remove, abortable(call)))
    },
  }
}

// Aborted when the client has left.
const abortable = (call?: StorageCall) => (call ? { abortSignal: call.signal } : {})
const keyOf = (owner: string, id: bigint) => ({ owner: { S: owner }, id: { N: String(id) } })

async function applies(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    return (error as Error).name === 'ConditionalCheckFailedException' ? false : fail(error)
  }
}

function fail(cause: any): never {
  const isMistake = cause.$fault === 'client' && !/Throttl|Throughput|RequestLimit/.test(cause.name)
  if (isMistake) throw cause
  throw new StorageUnavailableError('DynamoDB did not answer', { cause })
}
