import { type PlantStorage, StorageUnavailableError, type StoredPlant } from 'plant-store'
import { ErrorReply, type RedisClientType } from 'redis'

/** Each owner is a sorted set. Its members are the plants as JSON behind their ids, and sort by them. */
export function redisStorage(
  redis: Pick<RedisClientType, 'eval' | 'zRangeByLex' | 'zRemRangeByLex'>,
): PlantStorage {
  const keyOf = (owner: string) => `plants:${owner}`
  return {
    async create(owner, { id, ...plant }) {
      const args = [from(id), upTo(id), prefixOf(id) + JSON.stringify(plant)]
      const created = await redis
        .eval(CREATE, { keys: [keyOf(owner)], arguments: args })
        .catch(fail)
      return created === 1
    },
    async list(owner, { after, limit }) {
      const start = after === undefined ? '-' : `[${prefixOf(after)}|`
      const LIMIT = { offset: 0, count: limit }
      const members = await redis.zRangeByLex(keyOf(owner), start, '+', { LIMIT }).catch(fail)
      return members.map(toPlant)
    },
    async delete(owner, id) {
      return (await redis.zRemRangeByLex(keyOf(owner), from(id), upTo(id)).catch(fail)) === 1
    },
  }
}

// A script runs alone, so of several creates with one id, one finds no plant.
const CREATE = `
if redis.call('ZLEXCOUNT', KEYS[1], ARGV[1], ARGV[2]) > 0 then return 0 end
return redis.call('ZADD', KEYS[1], 0, ARGV[3])`

// Scores are doubles, which can't hold each int64: 16 hexadecimal digits sort as the ids do.
const prefixOf = (id: bigint) => (id + 2n ** 63n).toString(16).padStart(16, '0')
// JSON begins with "{", and "|" is the next character.
const from = (id: bigint) => `[${prefixOf(id)}`
const upTo = (id: bigint) => `(${prefixOf(id)}|`

function toPlant(member: string): StoredPlant {
  return { id: BigInt(`0x${member.slice(0, 16)}`) - 2n ** 63n, ...JSON.parse(member.slice(16)) }
}

function fail(cause: Error): never {
  const isMistake =
    cause instanceof ErrorReply && !/^(LOADING|READONLY|OOM|BUSY|\w+DOWN)/.test(cause.message)
  if (isMistake) throw cause
  throw new StorageUnavailableError('Redis did not answer', { cause })
}
