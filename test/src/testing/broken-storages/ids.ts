import { type Broken, correct, deciding, replacing, storageOf } from './broken.ts'

export const ids: Broken = {
  'ids are doubles': () =>
    storageOf({ idKey: Number, write: (plant) => ({ ...plant, id: BigInt(Number(plant.id)) }) }),
  ...deciding('idKey', {
    'ids are doubles in the key only': Number,
    'ids are int32': (id) => BigInt.asIntN(32, id),
    'ids up to 2^31 are float32': (id) =>
      id > 0n && id < 2n ** 31n ? Math.fround(Number(id)) : id,
    'ids lose their sign': absolute,
    'ids are divided by 1000': (id) => id / 1000n,
  }),
  ...deciding('write', {
    'ids are unsigned': (plant) => ({ ...plant, id: BigInt.asUintN(64, plant.id) }),
  }),
  ...replacing('create', {
    'ids below 0 are refused'(base, owner, plant) {
      if (plant.id < 0n) throw new RangeError('out of range')
      return base.create(owner, plant)
    },
  }),
  ...replacing('delete', {
    'id 0 cannot be deleted': (base, owner, id) => (id ? base.delete(owner, id) : false),
  }),

  ...deciding('compare', {
    'list is unordered': () => 0,
    'list is descending': (a, b) => correct.compare(b, a),
    'list is ordered by decimal text': (a, b) =>
      String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0,
    'list is ordered by unsigned integers': (a, b) =>
      correct.compare(BigInt.asUintN(64, a), BigInt.asUintN(64, b)),
    'list is ordered by doubles': (a, b) => Number(a) - Number(b),
    'list is ordered by int32 differences': (a, b) => Number(a - b) | 0,
    'list is ordered by absolute values': (a, b) => correct.compare(absolute(a), absolute(b)),
    'list is ordered by padded text': (a, b) => (padded(a) < padded(b) ? -1 : 1),
  }),
}

function absolute(id: bigint): bigint {
  return id < 0n ? -id : id
}

function padded(id: bigint): string {
  return (id < 0n ? '-' : '0') + String(absolute(id)).padStart(19, '0')
}
