import type { OverloadResult } from './run.ts'

/** The same load with and without the protection. */
export interface Comparison {
  storage: string
  /** Creates per second. */
  capacity: number
  phases: { perSecond: number; seconds: number }[]
  protected: OverloadResult
  unprotected: OverloadResult
}

const WIDTH = 760
const HEIGHT = 150
const LEFT = 50
const TOP = 36
const CHART = TOP + HEIGHT + 44

/** The good responses of every second, with and without the protection: an SVG for light and dark pages. */
export function plot(comparisons: Comparison[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${CHART * comparisons.length}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Requests answered in time while more are offered than the storage can do</title>
<style>
  text { fill: #1f2328 }
  .quiet { fill: #59636e }
  .with { stroke: #1a7f37; fill: none; stroke-width: 2.5 }
  .without { stroke: #cf222e; fill: none; stroke-width: 2 }
  .line { stroke: #8c959f }
  .label-with { fill: #1a7f37 }
  .label-without { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .with { stroke: #3fb950 }
    .without { stroke: #f85149 }
    .label-with { fill: #3fb950 }
    .label-without { fill: #f85149 }
  }
</style>
${comparisons.map((comparison, i) => drawChart(comparison, i * CHART)).join('\n')}
</svg>
`
}

function drawChart(comparison: Comparison, top: number): string {
  const { storage, capacity, phases } = comparison
  const length = phases.reduce((sum, { seconds }) => sum + seconds, 0)
  const x = (second: number) => (LEFT + (second / length) * (WIDTH - LEFT - 10)).toFixed(1)
  const y = (share: number) => (top + TOP + HEIGHT * (1 - Math.min(share, 1.2) / 1.2)).toFixed(1)
  const line = (name: 'with' | 'without', { seconds }: OverloadResult) => {
    const points = seconds.map(({ good }, i) => `${x(i + 0.5)},${y(good / capacity)}`)
    return `<polyline class="${name}" points="${points.join(' ')}"/>`
  }
  const ends = phases.map((_, i) =>
    phases.slice(0, i).reduce((sum, { seconds }) => sum + seconds, 0),
  )
  const labels = phases.map(
    ({ perSecond }, i) =>
      `<line class="line" x1="${x(ends[i]!)}" y1="${y(0)}" x2="${x(ends[i]!)}" y2="${y(1.2)}" stroke-dasharray="3 3"/>
<text class="quiet" x="${x(ends[i]!)}" dx="6" y="${Number(y(0)) + 18}">${perSecond} a second offered</text>`,
  )
  return `<text x="0" y="${top + 18}" font-weight="600">${storage}, ${Math.round(capacity)} creates a second: answered within 1 s, per second</text>
<text class="label-with" x="${WIDTH - 10}" y="${top + 18}" text-anchor="end">with protection</text>
<text class="label-without" x="${WIDTH - 120}" y="${top + 18}" text-anchor="end">without</text>
<text class="quiet" x="${LEFT - 6}" y="${Number(y(1)) + 4}" text-anchor="end">${Math.round(capacity)}</text>
<text class="quiet" x="${LEFT - 6}" y="${Number(y(0)) + 4}" text-anchor="end">0</text>
<line class="line" x1="${LEFT}" y1="${y(1)}" x2="${WIDTH - 10}" y2="${y(1)}" stroke-dasharray="3 3"/>
<line class="line" x1="${LEFT}" y1="${y(0)}" x2="${WIDTH - 10}" y2="${y(0)}"/>
${labels.join('\n')}
${line('without', comparison.unprotected)}
${line('with', comparison.protected)}`
}
