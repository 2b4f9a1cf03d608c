import { readFileSync } from 'node:fs'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url))

/** The options of a server with TLS. */
export const tls = { key: pem, cert: pem }
