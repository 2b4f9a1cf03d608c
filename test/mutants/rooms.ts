/** A part of the code, and the tests that notice what goes wrong there. */
export interface Room {
  readonly name: string
  /** Globs. */
  readonly code: readonly string[]
  /** Globs. */
  readonly tests: readonly string[]
  /**
   * Whether only a new run of the tests changes the code: it runs in processes that they start, or once,
   * when their files are loaded.
   */
  readonly isElsewhere?: boolean
}

// Not test/security/verifiers.test.ts: its errors, more than are printed in one second, would fail other tests.
const core = [
  'test/src/{plant-store,plant-store.contract,rate-limited-error,response-event,thenables}.test.ts',
  'test/src/http/*.test.ts',
  'test/src/plants/*.test.ts',
]
const overload = [
  'test/src/{fairness,limit-calls,with-overload-protection}.test.ts',
  'test/src/overload/*.test.ts',
]

/** D1 and Durable Objects are missing: their code runs in workerd, which can't be told what to mutate. */
export const rooms: readonly Room[] = [
  {
    name: 'src/*.ts',
    code: ['src/!(adapter|client|index|openapi|testing).ts'],
    tests: [
      ...core,
      ...overload,
      'test/src/{plant-storage,storage/memory}.test.ts',
      'test/adapters/wrong-store.test.ts',
    ],
  },
  {
    name: 'src/http',
    code: ['src/http/**/*.ts'],
    tests: [
      ...core,
      ...overload,
      'test/src/adapter.test.ts',
      'test/src/auth/refusals.test.ts',
      'test/security/{authorization-header,request}.test.ts',
    ],
  },
  {
    name: 'src/plants',
    code: ['src/plants/**/*.ts'],
    // Express passes on bodies that a parser has read.
    tests: [...core, 'test/src/{adapter,fairness}.test.ts', 'test/adapters/express.test.ts'],
  },
  {
    name: 'src/overload',
    code: ['src/overload/*.ts'],
    tests: [...overload, 'test/src/plant-store.test.ts'],
  },
  {
    name: 'src/adapter, src/lib',
    code: ['src/{adapter,lib}/*.ts'],
    tests: [
      ...core,
      ...overload,
      'test/src/{adapter,client}.test.ts',
      'test/src/{adapter/body-buffer,auth/introspection,auth/tokens,storage/arguments,storage/memory}.test.ts',
      'test/adapters/{await-using,express,mounts,workers,wrong-store}.test.ts',
      'test/security/request.test.ts',
    ],
  },
  {
    name: 'src/auth',
    code: ['src/auth/**/*.ts'],
    tests: ['test/src/auth/**/*.test.ts', 'test/security/{jwt-attacks,verifiers}.test.ts'],
  },
  {
    name: 'src/storage/memory',
    code: ['src/storage/memory{.ts,/**/*.ts}'],
    tests: ['test/src/storage/memory.test.ts'],
  },
  {
    name: 'src/storage/sqlite',
    code: ['src/storage/sqlite{.ts,/**/*.ts}'],
    tests: [
      'test/src/storage/{isolated-owners,sqlite*}.test.ts',
      'test/faults/sqlite/{damage,disk-full,left-over-wal,moved-file,small-disk.nightly}.test.ts',
    ],
  },
  {
    name: 'src/storage/postgres',
    code: ['src/storage/postgres{.ts,/**/*.ts}'],
    tests: [
      'test/src/storage/{arguments,postgres,postgres-guest,retries}.test.ts',
      'test/faults/postgres/postgres.test.ts',
    ],
  },
  {
    name: 'src/storage/mysql',
    code: ['src/storage/{mysql,shared}{.ts,/**/*.ts}'],
    tests: [
      'test/src/storage/{arguments,mysql,retries}.test.ts',
      'test/faults/mysql/mysql.test.ts',
    ],
  },
  {
    name: 'src/client',
    code: ['src/client{.ts,/**/*.ts}'],
    tests: ['test/src/{client,client/retries}.test.ts'],
  },
  {
    name: 'src/openapi',
    code: ['src/openapi{.ts,/**/*.ts}'],
    tests: ['test/src/openapi{.test.ts,/**/*.test.ts}', 'test/src/plant-store.contract.test.ts'],
    isElsewhere: true,
  },
  {
    name: 'src/testing',
    code: ['src/testing.ts', 'src/testing/!(adapter).ts'],
    tests: ['test/src/{testing,testing/deployment}.test.ts'],
  },
  {
    name: 'src/testing/adapter',
    code: ['src/testing/adapter{.ts,/**/*.ts}'],
    tests: ['test/src/testing/adapter.test.ts', 'test/adapters/node/http2-contract.test.ts'],
  },
  {
    name: 'adapters, but serve',
    code: ['adapters/{express,fastify,workers}.ts', 'adapters/node/!(serve).ts'],
    tests: [
      'test/adapters/{express,fastify,mounts,workers,wrong-store}.test.ts',
      'test/adapters/node/{bodies,body-in-parts,drain,handler,http1,http2,http2-contract,load}.test.ts',
      'test/adapters/node/{shutdown,stopping,streaming}.test.ts',
    ],
  },
  {
    name: 'adapters, serve',
    code: ['adapters/{bun,deno,node}.ts', 'adapters/node/serve.ts', 'adapters/shared/*.ts'],
    tests: [
      'test/adapters/{bun,deno,wrong-store}.test.ts',
      'test/adapters/node/{http1,serve,shutdown,stopping}.test.ts',
    ],
    isElsewhere: true,
  },
]
