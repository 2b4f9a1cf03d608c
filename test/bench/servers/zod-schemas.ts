import * as z from 'zod'
import { CURSOR, idOf, MAX_LIMIT, STORABLE_TEXT } from './contract.ts'

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
  cursor: z.string().regex(CURSOR).transform(idOf).optional(),
})

/** Which failure of the contract it is that a query does not fit the schema. */
export function queryFailure(error: { issues: readonly { path?: readonly unknown[] }[] }) {
  return error.issues[0]?.path?.[0] === 'cursor' ? 'invalid_cursor' : 'invalid_limit'
}
