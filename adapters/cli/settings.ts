import { parseArgs } from 'node:util'

/** A public token: only for servers that no other machine can reach. */
export const DEMO_TOKEN = 'demo-token'

/** The settings that the server starts with. */
export type Settings = Exclude<ReturnType<typeof readSettings>, string>

/** The shortest and the longest time that a response is delayed, in ms. */
export type DelayMs = readonly [least: number, most: number]

type Environment = Record<string, string | undefined>
type Options = ReturnType<typeof parseOptions>

/**
 * Reads the settings of the command line and, where an option is missing, of the environment.
 *
 * @throws Error that names the option or variable and says what it must be; it never holds a token
 */
export function readSettings(args: string[], env: Environment) {
  const options = parseOptions(args)
  if (options.help) return 'help'
  if (options.version) return 'version'
  if (options.delay && !options.mock) throw new Error('--delay delays a mock: pass --mock too')

  const tokens = readTokens(options, env)
  return {
    // An empty variable is as good as none.
    port: options.port ? readPort('--port', options.port) : readPort('PORT', env.PORT || '3000'),
    hostname: options.hostname ?? (env.HOST || '127.0.0.1'),
    /** A SQLite file, or `:memory:`. */
    db: readDatabase(options, env),
    /** The table in another app's file. Undefined if the file belongs to the plant store. */
    table: options.table,
    /** The owner of each token; undefined where the demo token will do. */
    tokens,
    /** Whether pages of other origins may call the API. With the demo token, that is pages of this machine. */
    cors: options.cors ?? tokens === undefined,
    /** The file with the plants to start with. */
    seed: options.seed,
    /** Whether requests may ask for failures. */
    mock: options.mock ?? false,
    /** The delay of each response of a mock. */
    delayMs: readDelay('--delay', options.delay ?? '0'),
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
        table: { type: 'string' },
        token: { type: 'string', multiple: true },
        cors: { type: 'boolean' },
        seed: { type: 'string' },
        mock: { type: 'boolean' },
        delay: { type: 'string' },
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
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error(`${name} must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`)
}

/** A seed and a mock start in memory, so that no file is changed or reset. */
function readDatabase({ db, seed, mock, table }: Options, env: Environment): string {
  const file = db ?? (env.PLANT_STORE_DB || undefined)
  const needsMemory = mock ? '--mock' : seed === undefined ? undefined : '--seed'
  if (needsMemory && file !== undefined && file !== ':memory:') {
    throw new Error(`${needsMemory} keeps plants in memory, so it needs --db :memory:, not ${file}`)
  }
  const chosen = file ?? (needsMemory ? ':memory:' : 'plants.db')
  if (table === undefined || chosen !== ':memory:') return chosen
  throw new Error('--table names a table in a SQLite file, so it needs --db with a file')
}

/**
 * Reads a time in ms, for example `300`, or a range, for example `200-800`.
 *
 * @throws RangeError that names it
 */
export function readDelay(name: string, text: string): DelayMs {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const [least, most] = [Number(first), Number(last)]
  if (least <= most && most <= 60_000) return [least, most]
  throw new RangeError(
    `${name} must be a time in ms up to 60000, or a range like 200-800, not ${JSON.stringify(text)}`,
  )
}

/** Reads the owner of each token, from entries like `s3cret=alice`. No message has a token in it. */
function readTokens({ token }: Options, env: Environment): Record<string, string> | undefined {
  const variable = env.PLANT_STORE_TOKENS || undefined
  const name = token ? '--token' : 'PLANT_STORE_TOKENS'
  const entries = token ?? variable?.split(',')
  const pairs = entries?.map((entry, index): [string, string] => {
    // A token68 may end in =, so an owner has none here.
    const [, token, owner] = /^([\w\-.~+/]+=*)=([^=]+)$/.exec(entry.trim()) ?? []
    if (token && owner) return [token, owner]
    const form = name === '--token' ? 'token=owner' : 'token=owner[,token=owner…]'
    const rule = 'A token has only A-Z, a-z, 0-9 and -._~+/, and = only at its end'
    throw new Error(`${name} must be ${form}; entry ${index + 1} isn't. ${rule}`)
  })
  const tokens = pairs && Object.fromEntries(pairs)
  if (Object.keys(tokens ?? {}).length === (pairs ?? []).length) return tokens
  throw new Error(`${name} has one token twice`)
}
