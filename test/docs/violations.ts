import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns the violations of WCAG 2.2, level AA, that axe finds, with their elements. */
export async function violations(page: Page): Promise<unknown[]> {
  // A button that fades in has no colour of its own yet.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((it) => it.finished)))
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe: injected } = window as unknown as { axe: typeof axe }
    const found = await injected.run(document, {
      // Audio and stylesheets from elsewhere, of which there are none.
      preload: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    })
    return found.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
    }))
  })
}
