import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_REFERENCE, GUIDES, ROOT, readGuide } from './guides.ts'

interface Link {
  readonly guide: string
  readonly path: string
  readonly anchor: string | undefined
}

const PAGES = [...GUIDES, API_REFERENCE, 'llms.txt']

const links: Link[] = PAGES.flatMap((guide) =>
  [...readGuide(guide).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, path, anchor]) => ({ guide, path: path!, anchor }),
  ),
)

const pack = ['pack', '--dry-run', '--ignore-scripts', '--json']
const report = JSON.parse(
  execFileSync('npm', pack, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  }).toString(),
)
const packed: string[] = (Object.values(report)[0] as { files: { path: string }[] }).files.map(
  ({ path }) => path,
)

function targetOf({ guide, path }: Link): string {
  return path === '' ? guide : posix.join(posix.dirname(guide), path)
}

/** The anchors that code hosts give to headings. */
function anchorsOf(guide: string): string[] {
  const text = readGuide(guide).replaceAll(/^```[\s\S]*?^```$/gm, '')
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!)
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('The links of the guides', () => {
  it('lead to files of the repository', () => {
    expect(links.length).toBeGreaterThan(250)
    expect(links.filter((link) => !existsSync(join(ROOT, targetOf(link))))).toEqual([])
  })

  it('lead to files of the tarball', () => {
    expect(links.filter((link) => !packed.includes(targetOf(link)))).toEqual([])
  })

  it('lead to headings', () => {
    const toHeadings = links.filter(({ anchor }) => anchor !== undefined)
    expect(toHeadings.filter((link) => !anchorsOf(targetOf(link)).includes(link.anchor!))).toEqual(
      [],
    )
  })
})

describe('The guides', () => {
  it('are all in the tarball', () => {
    expect(PAGES.filter((guide) => !packed.includes(guide))).toEqual([])
  })

  it('have no page with two headings of one anchor', () => {
    for (const guide of [...GUIDES, API_REFERENCE].filter((guide) => guide !== 'CHANGELOG.md')) {
      const anchors = anchorsOf(guide)
      expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([])
    }
  })
})
