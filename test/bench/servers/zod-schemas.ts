import * as z from 'zod'
import * as contract from './contract.ts'

const text = z.string().regex(new RegExp(contract.STORABLE_TEXT, 'u'))

/** A NewPlant for the frameworks whose JSON parsers make doubles. */
export const NewPlant = z.object({ id: z.int(), name: text, tag: text.optional() })

/** The query of a list. */
export const ListQuery = z.object({
  limit: z
    .string()
    .regex(contract.LIMIT)
    .transform(Number)
    .refine((limit) => limit <= contract.MAX_LIMIT)
    .default(contract.MAX_LIMIT),
  cursor: z.string().regex(contract.CURSOR).transform(contract.idOf).optional(),
})

/** The parameters in the path of a delete. */
export const PlantPath = z.object({ id: z.string().regex(contract.ID).transform(BigInt) })
