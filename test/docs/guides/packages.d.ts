// Declares the packages of the guides that are not installed here.

type Callback = (...args: any[]) => any
interface Options {
  [name: string]: Callback | Options | string | number | boolean | unknown[] | undefined
}

// The apps of test/frameworks use these with their own types, or run without types.
declare module 'msw/node'
declare module 'polka'

declare module '@libsql/client'

declare module '@aws-sdk/client-dynamodb' {
  export type DynamoDB = any
  export const DynamoDB: any
}

declare module 'koa' {
  export default class Koa {
    use(middleware: Callback): this
    listen(port: number, onListening: Callback): unknown
  }
}

declare module '@google-cloud/functions-framework' {
  export const http: (name: string, handler: Callback) => void
}

declare module 'msw' {
  export const http: { all(path: string, resolver: Callback): object }
}

declare module '@tanstack/react-query' {
  export type QueryClient = any
  export const infiniteQueryOptions: (options: Options) => any
  export const mutationOptions: (options: Options) => any
}

declare module '@adonisjs/core' {
  export const Ignitor: new (
    root: URL,
    options: Options,
  ) => { tap(configure: Callback): { httpServer(): { start(create: Callback): Promise<void> } } }
  export const prettyPrintError: Callback
}

declare module '@azure/functions' {
  export const app: {
    setup(options: Options): void
    http(name: string, options: Options): void
  }
}

declare module '@tanstack/react-router' {
  export const createFileRoute: (path: string) => (options: Options) => unknown
}

declare module 'nitro/h3' {
  export const defineHandler: (handler: Callback) => unknown
}

// What they configure is built by the apps of test/frameworks.
declare module '@astrojs/node'
declare module 'astro/config'
declare module 'nitro/config'
declare module '@sveltejs/adapter-node'
declare module '@sveltejs/kit/vite'

declare module 'next/server' {
  export const connection: () => Promise<void>
}

declare module 'react' {
  export const Suspense: (props: { children: unknown }) => object
}

declare module 'react/jsx-runtime' {
  export namespace JSX {
    type IntrinsicElements = Record<string, object>
  }
}
