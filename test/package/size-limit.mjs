// What size-limit measures, minified and gzipped: test/package/size.test.ts, and `npm run bench -- size`.
const forTheWeb = {
  modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', target: 'es2023' }),
}

export default [
  { name: 'Worker (core and D1)', path: 'd1-worker.ts', ignore: ['cloudflare:*'], limit: '19 KiB' },
  { name: 'client', path: '../../src/client.ts', limit: '2.6 KiB' },
].map((check) => ({ ...check, ...forTheWeb, gzip: true }))
