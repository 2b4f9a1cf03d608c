import { parseArgs } from 'node:util'
import { readDelay, readPercentage, readWholeNumber } from './numbers.ts'
import { readTokens } from './tokens.ts'

/** Everybody knows this token, so it is only for servers that nobody else can reach. */
export const DEMO_TOKEN = 'demo-token'

/** The settings that the server starts with. */
export interface Settings {
  port: number
  hostname: string
  /** A SQLite file, or `:memory:`. */
  db: string
  /** The table in another app's file. Undefined where the file is the plant store's own. */
  table: string | undefined
  /** The owner of each token; undefined where the demo token will do. */
  tokens: Record<string, string> | undefined
  /** Whether pages of other origins may call the API. With the demo token, that is pages of this machine. */
  cors: boolean
  /** The file with the plants to start with. */
  seed: string | undefined
  /** The ways in which requests fail. Undefined for a server that only fails as it must. */
  mock: MockSettings | undefined
}

interface MockSettings {
  /** The share of the requests that fail by chance, from 0 to 1. */
  rate: number
  seed: number
  /** The least and the most time that a response waits for, in ms. */
  delayMs: readonly [number, number]
}

type Environment = Record<string, string | undefined>
type Options = ReturnType<typeof parseOptions>

/**
 * Reads the settings of the command line and, where an option is missing, of the environment.
 *
 * @throws Error that names the option or variable and says what it must be; it never holds a token
 */
export function readSettings(args: string[], env: Environment): Settings | 'help' | 'version' {
  const options = parseOptions(args)
  if (options.help) return 'help'
  if (options.version) return 'version'

  const tokens = options.token
    ? readTokens('--token', options.token)
    : env.PLANT_STORE_TOKENS
      ? readTokens('PLANT_STORE_TOKENS', env.PLANT_STORE_TOKENS.split(','))
      : undefined
  return {
    port:
      options.port === undefined
        ? readWholeNumber('PORT', env.PORT || '3000', 65_535)
        : readWholeNumber('--port', options.port, 65_535),
    hostname: options.hostname ?? (env.HOST || '127.0.0.1'),
    db: readDatabase(options, env),
    table: options.table,
    tokens,
    cors: options.cors ?? tokens === undefined,
    seed: options.seed,
    mock: readMock(options),
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
        chaos: { type: 'string' },
        'chaos-seed': { type: 'string' },
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

function readMock(options: Options): MockSettings | undefined {
  const { mock, delay, chaos, 'chaos-seed': seed } = options
  if (mock) {
    const settings = {
      rate: readPercentage('--chaos', chaos ?? '0%'),
      seed: readWholeNumber('--chaos-seed', seed ?? String(randomSeed()), 2 ** 32),
      delayMs: readDelay('--delay', delay ?? '0'),
    }
    if (seed && !chaos) throw new Error('--chaos-seed repeats the chances of --chaos: pass both')
    return settings
  }
  const extra = (['delay', 'chaos', 'chaos-seed'] as const).find((name) => options[name])
  if (extra) throw new Error(`--${extra} lets requests fail or wait, so it needs --mock`)
  return undefined
}

function randomSeed(): number {
  return Math.floor(Math.random() * 1e6)
}
