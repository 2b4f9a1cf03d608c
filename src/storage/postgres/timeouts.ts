/**
 * Warns of a pool of pg that has `query_timeout` without `statement_timeout`. During a long lock each
 * timeout of pg drops a connection whose statement still waits on the server, and opens another, until
 * the server has no connections left.
 *
 * Any value of `statement_timeout` prevents the warning, even `0`, since the server may set its own.
 */
export function warnOfTimeouts(client: any): void {
  const { query_timeout, statement_timeout, options, connectionString } = client.options ?? {}
  // The connection string may set both, and `options` may set statement_timeout (`-c statement_timeout=…`).
  const text = `${options} ${connectionString}`
  if (!query_timeout && !text.includes('query_timeout')) return
  if (statement_timeout !== undefined || text.includes('statement_timeout')) return
  console.warn(
    'postgresStorage: this pool has query_timeout without statement_timeout, so statements that pg has ' +
      'given up keep running on the server. Set statement_timeout (ms) below query_timeout, or to 0 if ' +
      'the server sets it.',
  )
}
