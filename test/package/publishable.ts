// Refuses to publish a package whose owner has not said where it lives: npm run prepublishOnly
// In the release workflow, it also compares the tag with the version.

import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const jsr = JSON.parse(readFileSync('jsr.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')

// npm compares the repository with the one that the provenance names.
const problems = ['repository', 'homepage', 'bugs', 'author']
  .filter((field) => !manifest[field])
  .map((field) => `package.json has no ${field}: set it to where the project is hosted`)
if (jsr.name.startsWith('@your-scope/')) {
  problems.push(`jsr.json has the name ${jsr.name}: replace @your-scope with your scope on JSR`)
}
if (readFileSync('.github/CODEOWNERS', 'utf8').includes('@your-scope')) {
  problems.push('.github/CODEOWNERS has @your-scope: replace it with your account or team')
}
if (jsr.version !== manifest.version) {
  problems.push(`jsr.json has the version ${jsr.version}, and package.json has ${manifest.version}`)
}
if (!changelog.includes(`\n## ${manifest.version}\n`)) {
  problems.push(`CHANGELOG.md has no section ${manifest.version}: write what has changed`)
}
const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env
if (type === 'tag' && name !== `v${manifest.version}`) {
  problems.push(`the tag must be v${manifest.version}, the version in package.json; got ${name}`)
}

for (const problem of problems) console.error(`Not published: ${problem}`)
if (problems.length > 0) process.exitCode = 1
