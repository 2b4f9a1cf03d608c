import { quotedOrKind } from '../../lib/arguments.ts'

/** A table by its name, and by its schema once that is known. */
export interface PostgresTableName {
  readonly name: string
  readonly schema: string | undefined
}

const TABLE = /^(?:([a-z_]\w*)\.)?([a-z_]\w*)$/i
// PostgreSQL truncates the names of prepared statements to 63 bytes, and these contain the table's name.
const MAX_LENGTH = 40

/**
 * Parses the option `table`: `table` or `schema.table`, case-sensitive.
 *
 * @throws TypeError if the name has other characters or is too long
 */
export function parsePostgresTable(table: unknown): PostgresTableName {
  const [text, schema, name] = (typeof table === 'string' && TABLE.exec(table)) || []
  if (name !== undefined && text!.length <= MAX_LENGTH) return { schema, name }
  throw new TypeError(
    `table must be a name or schema.name of letters, digits and underscores, at most ${MAX_LENGTH} characters; got ${quotedOrKind(table)}`,
  )
}

/** Quotes the name for SQL. */
export function quotePostgresTable({ schema, name }: PostgresTableName): string {
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`
}

/** Quotes an identifier for SQL, since a plain one may be a keyword, such as `order`. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Quotes a text for SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
