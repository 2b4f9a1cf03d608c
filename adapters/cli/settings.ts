import { parseArgs } from 'node:util'

/** Everybody knows this token, so it is only for servers that nobody else can reach. */
export const DEMO_TOKEN = 'demo-token'

/** The settings that the server starts with. */
export interface Settings {
  port: number
  hostname: string
  /** A SQLite file, or `:memory:`. */
  db: string
  /** The owner of each token; undefined where the demo token will do. */
  tokens: Record<string, string> | undefined
  /** Whether pages of other origins may call the API. With the demo token, that is pages of this machine. */
  cors: boolean
  /** The file with the plants to start with. */
  seed: string | undefined
}

/**
 * Reads the settings of the command line and, where an option is missing, of the environment.
 *
 * @throws Error that names the option or variable and says what it must be; it never holds a token
 */
export function readSettings(
  args: string[],
  env: Record<string, string | undefined>,
): Settings | 'help' | 'version' {
  const options = parseOptions(args)
  if (options.help) return 'help'
  if (options.version) return 'version'

  const hostname = options.hostname ?? (env.HOST || '127.0.0.1')
  const tokens = options.token
    ? readTokens('--token', options.token)
    : readEnvTokens(env.PLANT_STORE_TOKENS, options.hostname ? '--hostname' : 'HOST', hostname)
  return {
    port:
      options.port === undefined
        ? readPort('PORT', env.PORT || '3000')
        : readPort('--port', options.port),
    hostname,
    db: readDatabase(options.db ?? (env.PLANT_STORE_DB || undefined), options.seed),
    tokens,
    cors: options.cors ?? tokens === undefined,
    seed: options.seed,
  }
}

function parseOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string' },
        hostname: { type: 'string' },
        db: { type: 'string' },
        token: { type: 'string', multiple: true },
        cors: { type: 'boolean' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
    for (const [name, value] of Object.entries(values)) {
      if (value === '') throw new Error(`--${name} must not be empty`)
    }
    return values
  } catch (error) {
    // Node's own messages go on about option arguments that start with a dash.
    const [problem] = (error as Error).message.split(/\.\s|\n/)
    throw new Error(`${problem!.replace(/\.$/, '')}. plant-store --help lists the options`)
  }
}

function readPort(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new Error(`${name} must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`)
}

function readDatabase(db: string | undefined, seed: string | undefined): string {
  if (seed === undefined || db === ':memory:') return db ?? 'plants.db'
  if (db === undefined) return ':memory:'
  throw new Error(`--seed starts a store in memory, so it needs --db :memory:, not ${db}`)
}

function readEnvTokens(text: string | undefined, hostOption: string, hostname: string) {
  if (text) return readTokens('PLANT_STORE_TOKENS', text.split(','))
  if (/^(?:localhost|::1|127(?:\.\d+){3})$/.test(hostname)) return undefined
  throw new Error(
    `${hostOption} ${hostname} can be reached by others, so set PLANT_STORE_TOKENS=token=owner[,token=owner…] or --token token=owner`,
  )
}

function readTokens(name: string, entries: string[]): Record<string, string> {
  const pairs = entries.map((entry, index): [string, string] => {
    // A token68 may end in =, so an owner has none here.
    const [, token, owner] = /^([\w\-.~+/]+=*)=([^=]+)$/.exec(entry.trim()) ?? []
    if (token && owner) return [token, owner]
    const form = name === '--token' ? 'token=owner' : 'token=owner[,token=owner…]'
    const rule = 'A token has only A-Z, a-z, 0-9 and -._~+/, and = only at its end'
    throw new Error(`${name} must be ${form}; entry ${index + 1} isn't. ${rule}`)
  })
  const tokens = Object.fromEntries(pairs)
  if (Object.keys(tokens).length === pairs.length) return tokens
  throw new Error(`${name} has one token twice`)
}
