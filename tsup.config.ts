import { writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { openApiDocument } from './src/openapi.ts'

const targets = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.default,
)
/** `dist` mirrors the tree: `./dist/src/client.js` is made from `src/client.ts`. */
const entry = [...targets, ...Object.values(manifest.bin)].map((target) =>
  target.replace('./dist/', '').replace(/js$/, 'ts'),
)

export default defineConfig({
  entry: Object.fromEntries(entry.map((file) => [file.replace('.ts', ''), file])),
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  external: [/^node:/, /^cloudflare:/],
  // node:sqlite has no name without its scheme.
  removeNodeProtocol: false,
  clean: true,
  // The types come from tsc (tsconfig.build.json): tsup's own bundling of types needs the compiler
  // API, which TypeScript 7 doesn't have.
  dts: false,
  async onSuccess() {
    await writeFile('dist/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`)
  },
})
