// Declares what the guides' shorter examples use, and the packages that are not installed here.

declare const store: import('plant-store').PlantStore
declare const storage: import('plant-store').PlantStorage
declare const verify: import('plant-store').AuthVerifier

// Those of an ORM or a driver, on the pages of storages.
declare const db: any
declare const pool: any
declare const dataSource: any
declare const knex: any
declare const sequelize: any
declare const prisma: any
declare const prismaPool: any
declare const sql: any
declare const libsql: any
declare const handle: any

declare module '@aws-sdk/client-dynamodb' {
  export type DynamoDB = any
  export const DynamoDB: any
}

declare module 'koa' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Context {
    readonly path: string
    readonly req: IncomingMessage
    readonly res: ServerResponse
    respond: boolean
  }
  export default class Koa {
    use(middleware: (ctx: Context, next: () => Promise<void>) => unknown): this
    listen(port: number, onListening: () => void): unknown
  }
}

declare module '@google-cloud/functions-framework' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Response = ServerResponse & { sendStatus(status: number): void }
  export function http(
    name: string,
    handler: (request: IncomingMessage, response: Response) => void,
  ): void
}

declare module 'msw' {
  export const http: {
    all(path: string, resolver: (info: { request: Request }) => Promise<Response>): object
  }
}

// The apps of test/frameworks use these with their own types, or run without types.
declare module '@opentelemetry/api'
declare module 'msw/node'
declare module 'polka'

declare module '@tanstack/react-query' {
  export interface QueryClient {
    invalidateQueries(filters: { queryKey: unknown[] }): Promise<void>
  }
  interface InfiniteQueryOptions<Page, PageParam> {
    queryKey: unknown[]
    queryFn(context: { pageParam: PageParam; signal: AbortSignal }): Promise<Page>
    initialPageParam: PageParam
    getNextPageParam(page: Page): PageParam
    retry: boolean | ((failures: number, error: Error) => boolean)
    retryDelay?(failures: number, error: Error): number
  }
  interface MutationOptions<Data, Variables> {
    mutationFn(variables: Variables): Promise<Data>
    onSuccess(): Promise<void>
  }
  export function infiniteQueryOptions<Page, PageParam>(
    options: InfiniteQueryOptions<Page, PageParam>,
  ): InfiniteQueryOptions<Page, PageParam>
  export function mutationOptions<Data, Variables>(
    options: MutationOptions<Data, Variables>,
  ): MutationOptions<Data, Variables>
}

declare module '@adonisjs/core' {
  interface App {
    managedByPm2: boolean
    listen(signal: string, handler: () => unknown): void
    listenIf(condition: boolean, signal: string, handler: () => unknown): void
    terminate(): Promise<void>
  }
  type Handle = import('node:http').RequestListener
  export class Ignitor {
    constructor(root: URL, options: { importer(path: string): Promise<unknown> })
    tap(configure: (app: App) => void): this
    httpServer(): { start(create: (handle: Handle) => import('node:http').Server): Promise<void> }
  }
  export function prettyPrintError(error: unknown): Promise<void>
}

declare module '@azure/functions' {
  interface HttpRequest {
    method: string
    url: string
    headers: Headers
    body: ReadableStream | null
  }
  interface HttpResponse {
    status: number
    headers: Headers
    body: ReadableStream | null
  }
  interface HttpFunction {
    route: string
    methods: string[]
    authLevel: 'anonymous'
    handler(request: HttpRequest): Promise<HttpResponse>
  }
  export const app: {
    setup(options: { enableHttpStream: boolean }): void
    http(name: string, options: HttpFunction): void
  }
}

declare module '@tanstack/react-router' {
  type Handler = (context: { request: Request }) => Promise<Response>
  export function createFileRoute(
    path: string,
  ): (options: { server: { handlers: { ANY: Handler } } }) => unknown
}

declare module 'nitro/h3' {
  export function defineHandler(handler: (event: { req: Request }) => Promise<Response>): unknown
}

// What they configure is built by the apps of test/frameworks.
declare module '@astrojs/node'
declare module 'astro/config'
declare module '@sveltejs/adapter-node'
declare module '@sveltejs/kit/vite'

declare module 'react/jsx-runtime' {
  export namespace JSX {
    type IntrinsicElements = Record<string, object>
  }
}
