import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'

const ROOT = join(import.meta.dirname, '../..')

/** The folders of pages, in the order of the sidebar. */
const SECTIONS = ['hosts', 'storages', 'sign-in', 'tasks', 'recipes', 'reference']

/** The guides at the root, which code hosts and registries look for there. */
const ROOT_PAGES = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md']

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
  // The anchors of code hosts.
  markdown: { anchor: { slugify: slug } },
  vite: { plugins: [vueOfThisFolder()] },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/' },
      { text: 'All pages', link: '/docs/' },
      { text: 'API', link: '/docs/reference/api/' },
    ],
    sidebar: [
      { text: 'Project', items: ROOT_PAGES.map(toItem) },
      ...SECTIONS.map((section) => {
        const [index, ...pages] = pagesIn(`docs/${section}`)
        return { ...toItem(index!), collapsed: true, items: pages.map(toItem) }
      }),
      { text: 'API', collapsed: true, items: pagesIn('docs/reference/api', '**').map(toItem) },
    ],
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

/** The pages of a folder: its index, then the others by title. */
function pagesIn(folder: string, depth = ''): string[] {
  const pages = globSync(join(folder, depth, '*.md'), { cwd: ROOT })
  const rank = (page: string) => (page === `${folder}/index.md` ? '' : titleOf(page).toLowerCase())
  return pages.sort((a, b) => rank(a).localeCompare(rank(b), 'en'))
}

function toItem(page: string) {
  return { text: titleOf(page), link: `/${page.replace(/(?:README|index)?\.md$/, '')}` }
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))![1]!.replaceAll('\\', '')
}
