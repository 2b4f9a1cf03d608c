declare module 'polka' {
  import type { RequestListener } from 'node:http'

  interface Polka {
    readonly handler: RequestListener
    use(
      path: string,
      handler: ReturnType<typeof import('../../../adapters/express.ts').toExpressHandler>,
    ): this
  }
  export default function polka(): Polka
}
