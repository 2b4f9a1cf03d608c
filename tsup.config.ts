import { readFile, rename, rm, writeFile } from 'node:fs/promises'
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
  metafile: true,
  async onSuccess() {
    await nameChunks()
    await writeFile('dist/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`)
  },
})

interface Output {
  inputs: Record<string, { bytesInOutput: number }>
  bytes: number
}

/** `src/http/reply.ts` is `http-reply`. */
const nameOf = (file: string) => file.replace(/^src\/|\.ts$/g, '').replaceAll('/', '-')

/** Names each shared chunk after the largest module in it, which a stack trace then shows, and removes empty ones. */
async function nameChunks() {
  const metafile = 'dist/metafile-esm.json'
  const { outputs } = JSON.parse(await readFile(metafile, 'utf8'))
  await rm(metafile)
  const names = new Map<string, string>()
  const empty: string[] = []
  for (const [file, { inputs, bytes }] of Object.entries<Output>(outputs)) {
    const [, hashed] = /^dist\/(chunk-.+)\.js$/.exec(file) ?? []
    if (hashed && bytes === 0) {
      empty.push(hashed)
      continue
    }
    const [largest] = Object.entries(inputs).sort(
      ([, a], [, b]) => b.bytesInOutput - a.bytesInOutput,
    )
    if (hashed && largest) names.set(hashed, `chunk-${nameOf(largest[0])}`)
  }
  if (new Set(names.values()).size < names.size) throw new Error('Two chunks have one name')
  for (const file of Object.keys(outputs)) {
    const code = await readFile(file, 'utf8')
    const named = code
      .replaceAll(/^import ".*\/(chunk-[A-Z0-9]{8})\.js";\n/gm, (line, name) =>
        empty.includes(name) ? '' : line,
      )
      .replaceAll(/chunk-[A-Z0-9]{8}\b/g, (name) => names.get(name) ?? name)
    await writeFile(file, named)
  }
  for (const hashed of empty) await rm(`dist/${hashed}.js`)
  for (const [hashed, name] of names) await rename(`dist/${hashed}.js`, `dist/${name}.js`)
}
