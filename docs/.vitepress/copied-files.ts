import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The language of a code block, by the ending of the file. */
const LANGUAGES = {
  mts: 'ts',
  ts: 'ts',
  mjs: 'js',
  js: 'js',
  py: 'py',
  yaml: 'yaml',
  service: 'ini',
  conf: 'nginx',
}
const LINK = /^\[([\w.-]+\.(mts|ts|mjs|js|py|yaml|service|conf))\]\(\1\)$/gm

/**
 * Shows the files that readers copy. A line of a page that is a link to a file in its folder becomes the file's code, with its
 * name above it. A code host shows the link.
 */
export function showFiles(page: string, folder: string): string {
  return page.replaceAll(LINK, (_, file: string, ending: keyof typeof LANGUAGES) => {
    const language = LANGUAGES[ending]
    const comment = /s$/.test(language) ? '//' : '#'
    return `\`\`\`${language}\n${comment} ${file}\n${readFileSync(join(folder, file), 'utf8')}\`\`\``
  })
}
