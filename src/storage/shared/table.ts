import { quotedOrKind } from '../../lib/arguments.ts'

/** A table by its name, and by its schema once that is known. MySQL's schemas are its databases. */
export interface TableName {
  readonly schema: string | undefined
  readonly name: string
}

const TABLE = /^(?:([a-z_]\w{0,63})\.)?([a-z_]\w{0,63})$/i

/**
 * Parses the option `table` of a database server: `table` or `schema.table`.
 *
 * @param maxLength of both together
 * @param rule what it must be, for the message
 * @throws TypeError if the name has other characters or is too long
 */
export function parseTableName(table: unknown, maxLength: number, rule: string): TableName {
  const [text, schema, name] = (typeof table === 'string' && TABLE.exec(table)) || []
  if (name !== undefined && text!.length <= maxLength) return { schema, name }
  throw new TypeError(`table must be ${rule}; got ${quotedOrKind(table)}`)
}

/** Returns the name for SQL. It is quoted, since a plain identifier may be a keyword: `order`. */
export function quoteTableName({ schema, name }: TableName, mark: '"' | '`'): string {
  const parts = schema === undefined ? [name] : [schema, name]
  return parts.map((part) => mark + part.replaceAll(mark, mark + mark) + mark).join('.')
}

/**
 * The error for a table that is missing.
 *
 * @param migration the function that returns the SQL to create it
 */
export function missingTableError(table: string, migration: string): Error {
  return new Error(
    `The table ${table} does not exist. Call storage.migrate() once, or run the SQL that ${migration}() returns for this table.`,
  )
}

/**
 * The error for a table that isn't a plant store's.
 *
 * @param subject the table, as the message begins
 * @param found the definitions of its columns and key
 * @param needed the ones that it needs
 */
export function foreignTableError(subject: string, found: string, needed: string): Error {
  return new Error(
    `${subject} is not a plant store's. It has (${found}), but must have (${needed}). Choose another table with the option { table }.`,
  )
}
