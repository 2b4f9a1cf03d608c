import { init } from '@sentry/node'

init({
  dsn: 'http://key@127.0.0.1:9/1',
  tracesSampleRate: 1,
  // Nothing is sent.
  transport: () => ({ send: async () => ({}), flush: async () => true }),
})
