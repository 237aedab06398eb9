// docs/testing.md out of test/results/*.json: no number of it is typed by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { equivalents } from '../../test/mutation/equivalents.ts';
import { groups } from '../../test/mutation/groups.ts';
import type { Machine } from './machine.ts';
import { readResult, type Results, type Sample } from './results.ts';
import { digestOf, leastScore, scoreOf } from './scores.ts';
import { table } from './table.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const percent = (value: number): string => `${value.toFixed(1)} %`;
const kB = (bytes: number): string => `${whole(bytes / 1000)} kB`;
const sumOf = <T>(all: readonly T[], count: (one: T) => number): number =>
  all.reduce((total, one) => total + count(one), 0);

function circumstances(command: string, { date, machine, load }: Machine): string {
  return `\`${command}\`, ${date}, on ${machine}; load average ${load}.`;
}

function suitesPart(suites: Results['suites']): string {
  const rows = Object.entries(suites).flatMap(([command, { rows: folders, date, seconds }]) =>
    folders.map(({ where, tests, skipped }, index) => [
      where,
      whole(tests),
      skipped === 0 ? '' : whole(skipped),
      index === 0 ? `\`npm run ${command}\`, ${whole(seconds)} s, ${date}` : '',
    ]),
  );
  const machines = [...new Set(Object.values(suites).map(({ machine }) => machine))];
  const total = sumOf(Object.values(suites), (suite) => sumOf(suite.rows, ({ tests }) => tests));
  return `## What is run

${whole(total)} tests, all of which hold; a property counts as one, however often it is tried. The component tests count once for each engine.

${table(['', 'tests', 'left out', 'by'], rows)}

Counted by \`npm run test:count\` on ${machines.join('; ')}.`;
}

/** Says of a module that it is no longer what was measured, or that nobody knows. */
function changeOf({ module, digest }: Results['mutation'][string]): string {
  const source = readFileSync(new URL(`../../${module}`, import.meta.url), 'utf8');
  return digest === digestOf(source) ? '' : ' \\*';
}

export function mutationPart(mutation: Results['mutation']): string {
  const known = groups
    .map(({ name, modules }) => ({ name, scores: modules.flatMap((module) => mutation[module] ?? []) }))
    .filter(({ scores }) => scores.length > 0);
  const rows = known.flatMap(({ name, scores }) => [
    ...scores.map((one) => [
      `\`${one.module}\`${changeOf(one)}`,
      whole(one.noticed),
      whole(one.explained),
      whole(one.survived),
      percent(one.score),
    ]),
    [
      `**${name}**`,
      whole(sumOf(scores, (one) => one.noticed)),
      whole(sumOf(scores, (one) => one.explained)),
      whole(sumOf(scores, (one) => one.survived)),
      `**${percent(scoreOf(scores))}**`,
    ],
  ]);
  const all = known.flatMap(({ scores }) => scores);
  const total = [
    '**all**',
    whole(sumOf(all, (one) => one.noticed)),
    whole(sumOf(all, (one) => one.explained)),
    whole(sumOf(all, (one) => one.survived)),
    `**${percent(scoreOf(all))}**`,
  ];
  const dates = [...new Set(all.map(({ date }) => date))].sort();
  const machines = [...new Set(all.map(({ machine }) => machine))];
  const reasons = equivalents.map(({ module, line, was, became, why }) => {
    const change = became === undefined ? ' changed' : ` → \`${became}\``;
    return `- \`${module}\`, in \`${line}\`: ${was === '' ? 'any part' : `\`${was}\``}${change}. ${why}`;
  });
  return `## The tests can fail: mutation testing

Stryker changes a module in one place after the other and runs the tests of its group on each change. A change that makes a test fail (or never come
to an end) is noticed. One that nobody could notice, or that does no harm, is explained below. The score is what was noticed of all changes, the
explained ones included; below ${leastScore} % in any module the command fails. \`npm test\` does it for decimal, duration and timestamp each time, and
fails where the last measurement of any other module is below, or there is none.

${table(['', 'noticed', 'explained', 'not noticed', 'score'], [...rows, total])}

A module marked \\* has changed since it was measured.

\`npm run test:mutation\`, ${dates.join(' and ')}, on ${machines.join('; ')}.${reasons.length === 0 ? '' : `\n\n### Changes that need no test\n\n${reasons.join('\n')}`}`;
}

function fuzzPart({ seed, seconds, tried, ...machine }: Results['fuzz']): string {
  const rows = tried.map(({ file, properties, runs }) => [`\`${file}\``, whole(properties), whole(runs)]);
  return `## Properties, tried for long

Every property was tried for ${seconds} s, ${whole(sumOf(tried, ({ runs }) => runs))} times in all, and held. In \`npm test\` each is tried some hundred times, with another seed
each time. A property that fails prints \`FC_SEED=… FC_PATH=…\`: with these in the environment the same test fails at once on the same value.

${table(['', 'properties', 'tried'], rows)}

${circumstances(`npm run test:fuzz -- --seconds ${seconds} --seed ${seed}`, machine)}`;
}

const sampleRow = (what: string, { timers, asking, asked, listeners, nodes, heap }: Sample): readonly string[] => [
  what,
  ...[timers, asking, asked, listeners, nodes].map(whole),
  kB(heap),
];

function lifePart({ mounts, hours, ...machine }: Results['life']): string {
  const rows = [
    sampleRow(`after ${whole(mounts.mounts / 5)} mounts`, mounts.early),
    sampleRow(`after ${whole(mounts.mounts)} mounts`, mounts.late),
    ...hours.samples.map((sample, hour) =>
      sampleRow(hour === 0 ? 'after a minute of waiting' : `after ${hour} h`, sample),
    ),
  ];
  return `## A long life

What a page holds, after its garbage was collected: a widget mounted and taken away again and again, then one that waits for ${hours.hours} h by a fake clock.

${table(['', 'timers', 'requests under way', 'requests so far', 'listeners', 'nodes', 'heap'], rows)}

\`npm test\` does it with fewer mounts and one hour, and shows each time that a page which leaves an element, a listener, a timer or a request behind at
each mount is found.

${circumstances('npm run test:life', machine)}`;
}

function visualPart({ browser, pictures, bytes, ...machine }: Results['visual']): string {
  return `## Pictures

${pictures} pictures of the gallery's states (${kB(bytes)}) are compared in ${browser}, the build that comes with \`npm ci\`, in a font that comes with it too, by a clock
that stands still. The same run shows that the comparison finds a button that moved by a pixel or two, a colour that is a little off, a missing icon, a space that is a
pixel wider, and a corner that is less round. After a change that was meant: \`npm run test:visual -- --update\`.

${circumstances('npm run test:visual -- --update', machine)}`;
}

/** The whole document, out of the results that there are. */
export function pageOf(): string {
  const suites = readResult('suites');
  const mutation = readResult('mutation');
  const fuzz = readResult('fuzz');
  const life = readResult('life');
  const visual = readResult('visual');
  const parts = [
    suites && suitesPart(suites),
    mutation && mutationPart(mutation),
    fuzz && fuzzPart(fuzz),
    life && lifePart(life),
    visual && visualPart(visual),
  ];
  return `# Testing

Written by \`npm run docs:testing\` from the results in \`test/results\`; no number is typed by hand. Each part names the command that measures it
again and writes it here.

${parts.filter((part) => part !== undefined).join('\n\n')}
`;
}

export function writePage(): void {
  writeFileSync(new URL('../../docs/testing.md', import.meta.url), pageOf());
}
