import type { RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Pool } from 'pg'

/** Answers Neon's HTTP driver from a PostgreSQL server, as Neon's proxy does. */
export function answerNeon(pool: Pool): RequestListener {
  return async (request, response) => {
    const { query: text, params: values } = (await json(request)) as any
    // The driver asks for arrays of text, and parses the values itself.
    const types = { getTypeParser: () => (value: unknown) => value }
    const statement = { text, values, rowMode: 'array' as const, types: types as any }
    const [status, body] = await pool.query(statement).then(
      (result) => [200, result],
      ({ message, ...fields }) => [400, { message, ...fields }],
    )
    response.writeHead(status as number).end(JSON.stringify(body))
  }
}
