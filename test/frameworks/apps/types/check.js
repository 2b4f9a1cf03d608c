// Compiles an app, and an import of everything that the plant store exports.
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const { exports } = readJson('node_modules/plant-store/package.json')
const { version } = readJson('node_modules/typescript/package.json')
const modules = Object.keys(exports)
  .filter((name) => !name.endsWith('.json'))
  .map((name) => name.replace('.', 'plant-store'))
const imports = modules.map((name, i) => `import * as m${i} from '${name}'\nvoid m${i}\n`)
writeFileSync('every-export.ts', imports.join(''))
const requires = modules.map((name, i) => `import m${i} = require('${name}')\nvoid m${i}\n`)
writeFileSync('every-export.cts', requires.join(''))

const options = [
  '--noEmit --verbatimModuleSyntax --strict --exactOptionalPropertyTypes --skipLibCheck false',
  '--target esnext --types node',
].join(' ')
// Before 5.8, TypeScript didn't know that Node's require() takes ES modules.
const [major, minor] = version.split('.').map(Number)
const cts = major > 5 || minor >= 8 ? 'every-export.cts' : ''

for (const lib of ['esnext', 'esnext,dom,dom.iterable,dom.asynciterable']) {
  for (const [files, resolution] of [
    [`app.ts every-export.ts ${cts}`, '--module nodenext'],
    ['app.ts every-export.ts', '--module esnext --moduleResolution bundler'],
  ]) {
    execSync(`npx --no tsc ${files} ${options} --lib ${lib} ${resolution}`, { stdio: 'inherit' })
  }
}
