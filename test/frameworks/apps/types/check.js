// Compiles an app, and an import of everything that the plant store exports.
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const { exports } = JSON.parse(readFileSync('node_modules/plant-store/package.json', 'utf8'))
const modules = Object.keys(exports).filter((name) => !name.endsWith('.json'))
writeFileSync(
  'every-export.ts',
  modules
    .map((name, i) => `import * as m${i} from '${name.replace('.', 'plant-store')}'\nvoid m${i}\n`)
    .join(''),
)

const options = [
  'app.ts every-export.ts --noEmit --verbatimModuleSyntax',
  '--strict --exactOptionalPropertyTypes --skipLibCheck false',
  '--target esnext --lib esnext,dom,dom.iterable,dom.asynciterable --types node',
].join(' ')

for (const resolution of ['--module nodenext', '--module esnext --moduleResolution bundler']) {
  execSync(`npx --no tsc ${options} ${resolution}`, { stdio: 'inherit' })
}
