import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')
const HOME = 'docs/site/home.md'

/** The folders of pages, in the order in which people need them. */
const SECTIONS = [
  'hosts',
  'storages',
  'sign-in',
  'tasks',
  'recipes',
  'reference',
  'reference/api',
].map((name) => `docs/${name}/`)

/** The other guides, where code hosts and registries look for them. */
const PROJECT = [
  'docs/how-it-works.md',
  'test/bench/README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
]

/** Where the project is hosted: GitHub Actions says so. */
const PROJECT_NAME = process.env.GITHUB_REPOSITORY ?? 'your-scope/plant-store'
const REPOSITORY = `https://github.com/${PROJECT_NAME}`

/** A project site of GitHub Pages is below the name of the repository. */
const BASE = process.env.SITE_BASE ?? '/'
const SITE = `https://${PROJECT_NAME.split('/')[0]}.github.io${BASE}`

export default defineConfig({
  title: 'Plant Store',
  description: 'A plant catalogue that you mount in your app',
  lang: 'en',
  // The root, so that a link from a page to README or to a picture is the same on a code host and here.
  srcDir: '..',
  // Below its base, so that the links can be checked as they will be.
  outDir: `dist${BASE}`,
  srcExclude: [
    '*/**/node_modules',
    'dist',
    '.github',
    'src',
    'adapters',
    'examples',
    'test/!(bench)/**',
  ],
  rewrites: { [HOME]: 'index.md' },
  base: BASE,
  markdown: {
    // The anchors of code hosts.
    anchor: { slugify: slug },
    // The default themes have too little contrast (WCAG 2.2, 1.4.3).
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.core.ruler.before('normalize', 'more-code', (state) => {
        // `path` is where the page is on the site.
        const file: string = state.env.realPath ?? state.env.path ?? HOME
        if (file.endsWith(HOME))
          state.src = state.src.replace('<!-- code -->', firstCode('README.md'))
        state.src = state.src.replaceAll(/^```sh\nnpm install (.+)\n```$/gm, toInstallTabs)
      })
      // So that `insufficient_scope` fits in a table on a phone.
      const renderText = md.renderer.rules.text!
      md.renderer.rules.text = (...text) => renderText(...text).replaceAll('_', '_<wbr>')
      // Vue would evaluate the braces of `{{user.name}}`.
      const renderCode = md.renderer.rules.code_inline!
      md.renderer.rules.code_inline = (...code) =>
        renderCode(...code).replace('<code', '<code v-pre')
    },
  },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}mark.svg` }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:image', content: `${SITE}preview.png` }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ['style', {}, readFileSync(join(import.meta.dirname, 'site.css'), 'utf8')],
  ],
  transformHead: ({ title, description }) => [
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
  transformPageData({ frontmatter, relativePath, filePath }) {
    // Made from the doc comments.
    if (relativePath.startsWith('docs/reference/api/')) frontmatter.editLink = false
    return { description: summaryOf(filePath) }
  },
  // For language models, which read the pages as Markdown (https://llmstxt.org).
  buildEnd({ outDir }) {
    const list = read('llms.txt').replaceAll('](', `](${REPOSITORY}/raw/main/`)
    writeFileSync(join(outDir, 'llms.txt'), list)
  },
  vite: { publicDir: join(ROOT, 'docs/public'), plugins: [vueOfThisFolder()] },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // People type questions: the words that any page has don't count.
          options: {
            processTerm: (term) =>
              /^(?:an?|and|do|does|how|i|in|is|it|my|of|on|the|to|with)$/i.test(term)
                ? null
                : term.toLowerCase(),
          },
          // A page that explains comes before the reference of the API.
          searchOptions: { boostDocument: (id) => (id.includes('/api/') ? 0.2 : 1) },
        },
      },
    },
    nav: [
      { text: 'Start', link: '/README' },
      { text: 'Guides', link: '/docs/' },
      { text: 'API', link: '/docs/reference/api/', activeMatch: '/docs/reference/api/' },
      { text: `v${manifest.version}`, items: PROJECT.map(toItem) },
    ],
    sidebar: [
      { text: 'Start', link: '/README' },
      ...SECTIONS.map((section) => ({
        ...toItem(`${section}index.md`),
        collapsed: true,
        items: pagesIn(section).map(toItem),
      })),
      { text: 'Project', items: PROJECT.map(toItem) },
    ],
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY, ariaLabel: 'Source code' }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path`, text: 'Edit this page' },
    notFound: {
      title: 'Page not found',
      quote: 'It may have moved. The search and the guides lead to all pages.',
      linkText: 'Go to the start page',
      linkLabel: 'Go to the start page',
    },
    footer: {
      message: `Plant Store ${manifest.version}, released under the <a href="${REPOSITORY}/blob/main/LICENSE">MIT License</a>`,
    },
  },
})

/** Lets pages above this folder find Vue, which is installed here. */
function vueOfThisFolder() {
  return {
    name: 'vue-of-this-folder',
    enforce: 'pre' as const,
    resolveId(this: any, id: string, _importer: string | undefined, { ssr = false }) {
      if (!/^vue(?:\/|$)/.test(id)) return undefined
      return ssr
        ? { id, external: true }
        : this.resolve(id, import.meta.filename, { skipSelf: true })
    },
  }
}

/** The pages of a section but its index, in the order in which its index links to them. */
function pagesIn(section: string): string[] {
  const index = `${section}index.md`
  const linked = [...read(index).matchAll(/\]\((?!https?:)([\w./-]+\.md)/g)]
    .map(([, link]) => posix.join(section, link!))
    .filter((page) => page.startsWith(section))
  const pages = globSync(section.endsWith('/api/') ? `${section}**/*.md` : `${section}*.md`, {
    cwd: ROOT,
  })
  return [...new Set([...linked, ...pages])].filter((page) => page !== index)
}

function toItem(page: string) {
  // In the sidebar, `plant-store/node` is `node`.
  const text = titleOf(page).replace('plant-store/', '')
  return { text, link: `/${page.replace(/(?:index)?\.md$/, '')}` }
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(read(page))![1]!.replaceAll('\\', '')
}

/** The first paragraph of a page, if it has one before its first section, without its markup. */
function summaryOf(page: string): string {
  const [, paragraph = ''] = /^# .+\n\n(\w[\s\S]+?)\n\n/m.exec(read(page)) ?? []
  return paragraph.replaceAll('\n', ' ').replaceAll(/\[(.+?)\]\(.+?\)|[*`]/g, '$1')
}

/** The first blocks of code of a page: how to install it, a file, and how to try it. */
function firstCode(page: string): string {
  return read(page)
    .match(/^```[\s\S]*?^```$/gm)!
    .slice(0, 3)
    .join('\n')
}

/** The command of each package manager, for one that is shown for npm. */
function toInstallTabs(_: string, packages: string): string {
  const commands = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' }
  const blocks = Object.entries(commands).map(
    ([name, command]) => `\`\`\`sh [${name}]\n${command} ${packages}\n\`\`\``,
  )
  return `::: code-group\n${blocks.join('\n')}\n:::`
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}
