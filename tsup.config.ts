import { writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { openApiDocument } from './src/openapi.ts'

/** `dist` mirrors the tree: the export `./dist/src/client.js` is made of `src/client.ts`. */
const entry = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.default.replace('./dist/', '').replace(/js$/, 'ts'),
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
  onSuccess: () =>
    writeFile('dist/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`),
})
