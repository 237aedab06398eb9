// Draws a load run as SVG: a few charts over the same time, with the disturbance shaded.
import type { Run } from './disturbances.ts';
import { secondsUntilAsBefore, sumOf, toldWithin, type Sample } from './judge.ts';

interface Line {
  readonly name: string;
  readonly color: string;
  readonly read: (sample: Sample) => number | undefined;
  /** Whether the space below the line is filled. */
  readonly isFilled?: boolean;
}

interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
}

const width = 1200;
const left = 76;
const right = 28;
const top = 92;
const chartHeight = 104;
/** From the top of one chart to that of the next. */
const pitch = 158;
const colors = {
  blue: '#2563eb',
  green: '#059669',
  red: '#dc2626',
  orange: '#d97706',
  violet: '#7c3aed',
  grey: '#94a3b8',
};

const count = (results: Readonly<Record<string, number>>, isCounted: (result: string) => boolean): number =>
  sumOf(Object.entries(results).flatMap(([result, number]) => (isCounted(result) ? [number] : [])));
const isStatus = (result: string): boolean => /^\d/.test(result);
const isOtherStatus = (result: string): boolean => isStatus(result) && !/^(2|304|503)/.test(result);
const isLost = (result: string): boolean => !isStatus(result) && result !== 'timeout';

/** The lines of what has failed, for reads and for creates. */
const failures = (kind: 'reads' | 'creates'): readonly Line[] => [
  { name: '503', color: colors.red, read: (sample) => sample[kind]['503'] ?? 0 },
  { name: 'no connection', color: colors.violet, read: (sample) => count(sample[kind], isLost) },
  { name: 'timeout', color: colors.orange, read: ({ [kind]: { timeout = 0 } }) => timeout },
  { name: 'another status', color: '#be185d', read: (sample) => count(sample[kind], isOtherStatus) },
];

const chartsAboveTold: readonly Chart[] = [
  {
    title: 'Payers',
    lines: [
      { name: 'polls held by the servers', color: colors.blue, read: ({ held }) => held, isFilled: true },
      { name: 'waiting payers', color: colors.grey, read: ({ waiting }) => waiting },
      { name: 'of them served', color: colors.green, read: ({ served }) => served },
    ],
  },
  {
    title: 'Reads a second',
    lines: [
      { name: '200', color: colors.green, read: ({ reads }) => reads['200'] ?? 0 },
      { name: '304', color: colors.blue, read: ({ reads }) => reads['304'] ?? 0 },
      ...failures('reads'),
    ],
  },
];
const chartsBelowTold: readonly Chart[] = [
  {
    title: 'Orders and creates a second',
    lines: [
      {
        name: 'answered',
        color: colors.green,
        read: ({ creates }) => count(creates, (result) => result.startsWith('2')),
      },
      ...failures('creates'),
    ],
  },
  {
    title: 'Event loop delay, ms',
    lines: [
      {
        name: 'p99 of the second, worst server',
        color: colors.blue,
        read: ({ loopDelayMs }) => loopDelayMs,
        isFilled: true,
      },
    ],
  },
  {
    title: 'Processor, % of a core',
    lines: [
      { name: 'servers', color: colors.blue, read: ({ cpu }) => cpu.servers, isFilled: true },
      { name: 'payers', color: colors.green, read: ({ cpu }) => cpu.payers },
      { name: 'everything on the machine', color: colors.grey, read: ({ cpu }) => cpu.machine },
    ],
  },
];

/** Draws what happened in each second of a run. */
export function drawRun(run: Run, title: string): string {
  const { samples, disturbedAt, endedAt } = run;
  const overAt = samples.at(-1)?.at ?? 1;
  const x = (at: number): number => left + ((width - left - right) * at) / overAt;
  const charts = [
    ...chartsAboveTold.map((chart) => drawChart(chart, samples, x)),
    drawTold(run, overAt, x),
    ...chartsBelowTold.map((chart) => drawChart(chart, samples, x)),
  ];
  const bottom = top + pitch * (charts.length - 1) + chartHeight;
  const seconds = secondsUntilAsBefore(run, endedAt);
  const asBefore = Number.isFinite(seconds) ? `as before ${seconds.toFixed(1)} s after it` : 'not as before again';
  const band = { from: x(disturbedAt), width: Math.max(2, x(endedAt) - x(disturbedAt)) };
  const backAt = x(Math.min(overAt, endedAt + seconds));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 44}" width="${width}" height="${bottom + 44}" font-family="system-ui, 'Noto Sans', sans-serif" font-size="12" fill="#334155">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="34" font-size="19" font-weight="600" fill="#0f172a">${escapeText(title)}</text>
<rect x="${round(band.from)}" y="${top - 22}" width="${round(band.width)}" height="${bottom - top + 22}" fill="#fee2e2"/>
<rect x="${round(band.from + band.width)}" y="${top - 22}" width="${round(Math.max(0, backAt - band.from - band.width))}" height="${bottom - top + 22}" fill="#fef9c3"/>
<text x="${round(band.from)}" y="${top - 28}" fill="${colors.red}">disturbance: ${(endedAt - disturbedAt).toFixed(1)} s<tspan dx="12" fill="#a16207">${asBefore}</tspan></text>
${charts.map((chart, index) => `<g transform="translate(0 ${top + index * pitch})">${chart}</g>`).join('\n')}
${drawTimes(overAt, x, bottom)}
</svg>
`;
}

function drawChart({ title, lines }: Chart, samples: readonly Sample[], x: (at: number) => number): string {
  // What never happened is not drawn.
  const shown = lines.filter(({ read }, index) => index === 0 || samples.some((sample) => (read(sample) ?? 0) > 0));
  const limit = niceLimit(Math.max(...shown.flatMap(({ read }) => samples.map((sample) => read(sample) ?? 0))));
  const y = (value: number): number => chartHeight - (chartHeight * value) / limit;
  const paths = shown.map(({ color, read, isFilled }) => {
    const points = samples.flatMap((sample) => {
      const value = read(sample);
      return value === undefined || Number.isNaN(value) ? [] : [`${round(x(sample.at))} ${round(y(value))}`];
    });
    const area = isFilled
      ? `<path d="M${points.join('L')}V${chartHeight}H${round(x(samples[0]?.at ?? 0))}Z" fill="${color}" fill-opacity=".12"/>`
      : '';
    return points.length === 0
      ? ''
      : `${area}<path d="M${points.join('L')}" fill="none" stroke="${color}" stroke-width="1.6" stroke-linejoin="round"/>`;
  });
  const ticks = [0, limit / 2, limit].map((value) => ({ y: y(value), text: value.toLocaleString('en') }));
  return drawFrame(title, ticks, shown) + paths.join('');
}

/** One dot for each payment, on a logarithmic scale: where it is paid, and how long it takes until the payer is told. */
function drawTold({ payments }: Run, overAt: number, x: (at: number) => number): string {
  const [least, most] = [0.1, 100];
  const y = (seconds: number): number =>
    chartHeight * (1 - Math.log(Math.min(most, Math.max(least, seconds)) / least) / Math.log(most / least));
  const dots = payments.map(({ paidAt, toldAt }) => {
    const delay = (toldAt ?? overAt) - paidAt;
    const color = toldAt === undefined ? '#000' : delay > toldWithin ? colors.red : colors.green;
    return `<circle cx="${round(x(paidAt))}" cy="${round(y(delay))}" r="2.2" fill="${color}" fill-opacity=".75"/>`;
  });
  const ticks = [0.1, 1, 10, 100].map((seconds) => ({ y: y(seconds), text: `${seconds} s` }));
  const names = [
    { name: `within ${toldWithin} s`, color: colors.green },
    { name: 'later', color: colors.red },
    { name: 'never', color: '#000' },
  ];
  const limit = `<path d="M${left} ${round(y(toldWithin))}H${width - right}" stroke="${colors.red}" stroke-dasharray="4 4" stroke-opacity=".6"/>`;
  return drawFrame('From each payment until its payer is told', ticks, names) + limit + dots.join('');
}

/** The title, the legend, and lines at the ticks with their texts. */
function drawFrame(
  title: string,
  ticks: readonly { readonly y: number; readonly text: string }[],
  names: readonly Pick<Line, 'name' | 'color'>[],
): string {
  const legend = names.map(
    ({ name, color }) => `<tspan dx="16" fill="${color}" font-weight="700">—</tspan><tspan dx="5">${name}</tspan>`,
  );
  const grid = ticks.map(
    ({ y, text }) =>
      `<path d="M${left} ${round(y)}H${width - right}" stroke="#0f172a" stroke-opacity=".12"/><text x="${left - 8}" y="${round(y + 4)}" text-anchor="end" fill="#64748b">${text}</text>`,
  );
  return `<text x="${left}" y="-9"><tspan font-weight="600" fill="#0f172a">${title}</tspan>${legend.join('')}</text>${grid.join('')}`;
}

function drawTimes(overAt: number, x: (at: number) => number, bottom: number): string {
  const step = [5, 10, 15, 30, 60, 120, 300].find((seconds) => overAt / seconds <= 14) ?? 600;
  const times = Array.from({ length: Math.floor(overAt / step) + 1 }, (_, index) => index * step);
  return times
    .map((at) => `<text x="${round(x(at))}" y="${bottom + 24}" text-anchor="middle" fill="#64748b">${at} s</text>`)
    .join('');
}

/** The least round number that is not below a value. */
function niceLimit(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value || 0)));
  return (
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8].map((factor) => factor * power).find((limit) => limit >= value) ?? 10 * power
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
