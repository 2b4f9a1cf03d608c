import * as z from 'zod'
import { MAX_LIMIT, STORABLE_TEXT } from './contract.ts'

const text = z.string().regex(new RegExp(STORABLE_TEXT, 'u'))

/** A NewPlant for the frameworks whose JSON parsers make doubles. */
export const NewPlant = z.object({ id: z.int(), name: text, tag: text.optional() })

/** The query of a list. */
export const ListQuery = z.object({
  limit: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,9})$/)
    .transform(Number)
    .refine((limit) => limit <= MAX_LIMIT)
    .default(MAX_LIMIT),
})
