import { type Html, html } from '#src/lib/html.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
}

export interface BarChart {
  /** What the bars count, for those who cannot see them. */
  readonly title: string;
  readonly bars: readonly Bar[];
  /** A value in words. */
  readonly format: (value: number) => string;
}

const width = 720;
const height = 150;
const floor = 126;
const ceiling = 14;
const gap = 2;

/** One series of bars: the highest has a label, the others show their value on hover. */
export function barChart({ title, bars, format }: BarChart): Html {
  const max = Math.max(...bars.map(({ value }) => value), 1);
  const step = width / Math.max(bars.length, 1);
  const peak = bars.findIndex(({ value }) => value === max);
  const heightOf = (value: number) => ((floor - ceiling) * value) / max;
  const middleOf = (index: number) => round(index * step + step / 2);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
    ${bars.map(
      ({ label, value }, index) => html`<g><title>${label}: ${format(value)}</title>
      <rect class="hit" x="${round(index * step)}" y="0" width="${round(step)}" height="${floor}"/>
      <rect class="bar" x="${round(index * step + gap / 2)}" y="${round(floor - heightOf(value))}"
        width="${round(Math.max(step - gap, 1))}" height="${round(heightOf(value))}" rx="2"/></g>`,
    )}
    <line x1="0" y1="${floor}" x2="${width}" y2="${floor}"/>
    ${
      peak >= 0 &&
      html`<text x="${middleOf(peak)}" y="${ceiling - 4}"
        text-anchor="${anchorOf(peak, bars.length)}">${format(max)}</text>`
    }
    ${bars.map(
      ({ label }, index) =>
        index % Math.ceil(bars.length / 6) === 0 &&
        html`<text class="tick" x="${middleOf(index)}" y="${height - 6}"
          text-anchor="${anchorOf(index, bars.length)}">${label}</text>`,
    )}
  </svg>`;
}

/** The steps of a funnel, each as long as the part of the first that came so far. */
export function funnelChart({ title, bars, format }: BarChart): Html {
  const max = Math.max(...bars.map(({ value }) => value), 1);
  const rowHeight = 30;
  const nameWidth = 110;
  const lengthOf = (value: number) => (value / max) * (width - nameWidth - 150);
  return html`<svg class="chart" viewBox="0 0 ${width} ${bars.length * rowHeight}" role="img" aria-label="${title}">
    ${bars.map(
      ({ label, value }, index) => html`<text x="0" y="${index * rowHeight + 19}">${label}</text>
      <rect class="bar" x="${nameWidth}" y="${index * rowHeight + 5}"
        width="${round(Math.max(lengthOf(value), 1))}" height="20" rx="2"/>
      <text class="tick" x="${round(nameWidth + lengthOf(value) + 8)}" y="${index * rowHeight + 19}">${format(value)}${
        index > 0 && ` · ${percentOf(value, bars[0]?.value ?? 0)}`
      }</text>`,
    )}
  </svg>`;
}

export const chartStyle = html`<style>
.chart { display: block; width: 100%; height: auto; margin-top: .6rem; overflow: visible; }
.chart .bar { fill: var(--accent); }
.chart .hit { fill: transparent; }
.chart g:hover .bar { opacity: .7; }
.chart line { stroke: var(--line); }
.chart text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
.chart .tick { fill: var(--soft); }
@media (max-width: 44rem) { .chart text { font-size: 22px; } }
</style>`;

function anchorOf(index: number, count: number): 'start' | 'middle' | 'end' {
  if (index < count / 12) return 'start';
  return index > count - count / 12 - 1 ? 'end' : 'middle';
}

const percentOf = (value: number, whole: number) => (whole > 0 ? `${Math.round((value / whole) * 100)}%` : '–');

const round = (value: number) => Math.round(value * 10) / 10;
