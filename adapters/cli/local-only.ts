import { jsonReply } from '../../src/http/reply.ts'
import type { IncomingRequest, Reply } from '../../src/index.ts'

/**
 * Refuses to offer the demo token to other machines.
 *
 * @throws Error unless only this machine can reach the host
 */
export function assertLocalHost(hostname: string): void {
  if (/^(?:localhost|::1|127(?:\.\d+){3})$/.test(hostname)) return
  throw new Error(
    `others may reach ${hostname}, and everybody knows the demo token: set PLANT_STORE_TOKENS=token=owner[,token=owner…] or --token token=owner`,
  )
}

/**
 * Refuses a request whose Host or Origin is not a loopback name. The demo token is for programs and pages of this machine.
 * A page of another site could reach it too: by its own name (DNS rebinding), or as another origin.
 */
export function refuseOthers({ url, headers }: IncomingRequest): Reply | undefined {
  // A target that is a whole URL counts instead of the header (RFC 9112, section 3.2.2).
  const [, host = headers.get('host') ?? ''] = /^https?:\/\/([^/?]*)/i.exec(url) ?? []
  const isLocal = LOOPBACK.test(host)
  const origin = headers.get('origin')
  if (isLocal && (origin === null || LOCAL_ORIGIN.test(origin))) return undefined
  const name = isLocal ? `the Origin ${origin}` : `the Host ${host}`
  // It is in the log too. A header may have control characters of Latin-1.
  const shown = name.slice(0, MAX_SHOWN).replaceAll(/[^ -~]/g, '?')
  const message = `The demo token is for this machine only, not for ${shown}: ${ADVICE}`
  // RFC 9110, section 15.5.20.
  return jsonReply(JSON.stringify({ error: 42_101, message }), {}, 421)
}

const LOOPBACK = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1])(?::\d+)?$/i
const LOCAL_ORIGIN = new RegExp(LOOPBACK.source.replace('^', '^https?://'), 'i')

const MAX_SHOWN = 100
const ADVICE =
  'call http://localhost, from a page of localhost if at all, or start plant-store with your own token.'
