import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'

const ROOT = join(import.meta.dirname, '../..')

/** The folders of pages, in the order of the sidebar. */
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
const PROJECT = ['SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'test/bench/README.md']

export default defineConfig({
  title: 'Plant Store',
  description: 'A plant catalogue that you mount in your own app',
  lang: 'en',
  // The root, so that a link from a page to README or to a picture is the same on a code host and here.
  srcDir: '..',
  outDir: 'dist',
  srcExclude: [
    '*/**/node_modules',
    'dist',
    '.github',
    'src',
    'adapters',
    'examples',
    'test/!(bench)/**',
  ],
  rewrites: { 'README.md': 'index.md' },
  // A project site of GitHub Pages is below the name of the repository.
  base: process.env.SITE_BASE ?? '/',
  markdown: {
    // The anchors of code hosts.
    anchor: { slugify: slug },
    // The default themes have too little contrast (WCAG 2.2, 1.4.3), and so has the label of a language.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  head: [['style', {}, 'html:root { --vp-code-lang-color: var(--vp-c-text-2) }']],
  vite: { plugins: [vueOfThisFolder()] },
  themeConfig: {
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
      { text: 'Start', link: '/' },
      { text: 'All pages', link: '/docs/' },
      { text: 'API', link: '/docs/reference/api/' },
    ],
    sidebar: Object.fromEntries(
      ['', ...SECTIONS].map((section) => [`/${section}`, sidebarOf(section)]),
    ),
    outline: [2, 3],
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

/** All sections, and the pages of the open one. A section that unfolds would be a button in a button. */
function sidebarOf(open: string) {
  return [
    { text: 'Start', link: '/' },
    ...SECTIONS.map((section) => ({
      ...toItem(`${section}index.md`),
      items: section === open ? pagesIn(section).map(toItem) : [],
    })),
    { text: 'Project', items: PROJECT.map(toItem) },
  ]
}

/** The pages of a section but its index, by title. The pages of the API are in folders. */
function pagesIn(section: string): string[] {
  const pages = globSync(section.endsWith('/api/') ? `${section}**/*.md` : `${section}*.md`, {
    cwd: ROOT,
  })
  const others = pages.filter((page) => page !== `${section}index.md`)
  return others.sort((a, b) => titleOf(a).localeCompare(titleOf(b), 'en'))
}

function toItem(page: string) {
  return { text: titleOf(page), link: `/${page.replace(/(?:index)?\.md$/, '')}` }
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))![1]!.replaceAll('\\', '')
}
