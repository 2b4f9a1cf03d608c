import type { Figure } from './figures.ts'
import type { Results } from './report.ts'

const WIDTH = 760
const LABELS = 180
const BAR = 18
const ROW = 28
const TITLE = 40
const ROOM_FOR_VALUES = 120

/** The server CPU per request of every server, in multiples of the floor. */
export function plotFloor(results: Results): string {
  const bars = results.figures.filter(
    ({ section, unit }) => section === 'http' && unit === '× floor',
  )
  const charts = [...Map.groupBy(bars, ({ work }) => work)].map(([work, bars]) => ({
    title: `${work}: server CPU per request (less is better)`,
    bars: bars.toSorted((a, b) => a.value - b.value),
  }))
  return plot('Server CPU per request, in multiples of hand-written node:http', charts, results)
}

interface Chart {
  title: string
  bars: Figure[]
}

/** Bars, in an SVG for light and dark pages. */
function plot(title: string, charts: Chart[], { date, machine }: Results): string {
  const highest = Math.max(...charts.flatMap(({ bars }) => bars.map(highOf)))
  const scale = (WIDTH - LABELS - ROOM_FOR_VALUES) / highest
  let top = 0
  const drawn = charts.map((chart) => {
    const text = drawChart(chart, top, scale)
    top += TITLE + chart.bars.length * ROW + 20
    return text
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top + 24}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>${title}</title>
<style>
  text { fill: #1f2328 }
  .quiet { fill: #59636e }
  .bar { fill: #8c959f }
  .own { fill: #1a7f37 }
  .line { stroke: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .bar { fill: #656c76 }
    .own { fill: #3fb950 }
    .line { stroke: #9198a1 }
  }
</style>
${drawn.join('\n')}
<text class="quiet" x="0" y="${top + 12}" font-size="11">${date}, ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}. Medians and quartiles of interleaved rounds.</text>
</svg>
`
}

const highOf = ({ value, high = value }: Figure) => high

function drawChart({ title, bars }: Chart, top: number, scale: number): string {
  const one = LABELS + scale
  const rows = bars.map((bar, i) => drawBar(bar, top + TITLE + i * ROW, scale))
  return `<text x="0" y="${top + 20}" font-weight="600">${title}</text>
${rows.join('\n')}
<line class="line" x1="${one}" y1="${top + TITLE - 6}" x2="${one}" y2="${top + TITLE + bars.length * ROW}" stroke-dasharray="3 3"/>`
}

function drawBar(bar: Figure, top: number, scale: number): string {
  const { subject, value, low = value, unit } = bar
  const middle = top + BAR / 2
  const [start, end] = [low, highOf(bar)].map((value) => (LABELS + value * scale).toFixed(1))
  const label = (LABELS + Math.max(value, highOf(bar)) * scale + 8).toFixed(1)
  const isOwn = subject.startsWith('plant-store')
  return `<text x="${LABELS - 8}" y="${middle + 5}" text-anchor="end"${isOwn ? ' font-weight="600"' : ''}>${subject}</text>
<rect class="${isOwn ? 'own' : 'bar'}" x="${LABELS}" y="${top}" width="${(value * scale).toFixed(1)}" height="${BAR}" rx="3"/>
<line class="line" x1="${start}" y1="${middle}" x2="${end}" y2="${middle}"/>
<text x="${label}" y="${middle + 5}">${value.toFixed(2)} ${unit}</text>`
}
