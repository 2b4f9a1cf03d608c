import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_REFERENCE, anchorOf, GUIDES, PACKED, readGuide } from './guides.ts'

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

function targetOf({ guide, path }: Link): string {
  return path === '' ? guide : posix.join(posix.dirname(guide), path)
}

function anchorsOf(guide: string): string[] {
  const text = readGuide(guide).replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title!))
}

describe('The links of the guides', () => {
  it('lead to files of the tarball', () => {
    expect(links.length).toBeGreaterThan(250)
    expect(links.filter((link) => !PACKED.includes(targetOf(link)))).toEqual([])
  })

  it('lead to headings', () => {
    const toHeadings = links.filter(({ anchor }) => anchor !== undefined)
    expect(toHeadings.filter((link) => !anchorsOf(targetOf(link)).includes(link.anchor!))).toEqual(
      [],
    )
  })
})

describe('The guides', () => {
  it('have no page with two headings of one anchor', () => {
    for (const guide of [...GUIDES, API_REFERENCE].filter((guide) => guide !== 'CHANGELOG.md')) {
      const anchors = anchorsOf(guide)
      expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([])
    }
  })
})
