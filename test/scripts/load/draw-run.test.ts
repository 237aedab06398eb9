import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../scripts/load/disturbances.ts';
import { drawRun } from '../../../scripts/load/draw-run.ts';
import { calmSample } from './calm-sample.ts';

const run: Run = {
  samples: Array.from({ length: 100 }, (_, index) => calmSample(index + 1)),
  payments: [{ paidAt: 10, toldAt: 11 }, { paidAt: 45, toldAt: 70 }, { paidAt: 99 }],
  disturbedAt: 40,
  endedAt: 60,
  wronglyTold: 0,
  paidOrders: [],
  failure: undefined,
};

/** The attributes of the elements with a name, in the order of the text. */
const elements = (svg: string, name: string): readonly Readonly<Record<string, string>>[] =>
  [...svg.matchAll(new RegExp(`<${name} ([^>]*)>`, 'g'))].map(([, attributes = '']) =>
    Object.fromEntries([...attributes.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value])),
  );

test('the time of the disturbance is shaded, and the time after it until everything is as before', () => {
  const [, disturbance, after] = elements(drawRun(run, 'a run'), 'rect').map(({ x, width }) => [
    Number(x),
    Number(width),
  ]);
  const pixelsPerSecond = (disturbance?.[1] ?? NaN) / 20;
  assert.ok(pixelsPerSecond > 5, `${pixelsPerSecond}`);
  assert.ok(Math.abs((after?.[0] ?? NaN) - (disturbance?.[0] ?? NaN) - (disturbance?.[1] ?? NaN)) < 0.2);
  assert.ok(Math.abs((after?.[1] ?? NaN) - 10 * pixelsPerSecond) < 0.2, `${after?.[1]}`); // the payer of 45 s is told at 70 s
});

test('each payment is one dot, which shows by its place and color how late its payer is told', () => {
  const dots = elements(drawRun(run, 'a run'), 'circle');
  assert.deepEqual(
    dots.map(({ fill }) => fill),
    ['#059669', '#dc2626', '#000'],
  );
  const heights = dots.map(({ cy }) => Number(cy));
  assert.ok((heights[1] ?? NaN) < (heights[0] ?? NaN), heights.join(' '));
});

test('a result that never occurs has no line and no entry in the legend', () => {
  assert.doesNotMatch(drawRun(run, 'a run'), />timeout</);
  const samples = run.samples.map((sample) => ({ ...sample, reads: { 304: 40, timeout: 2 } }));
  assert.match(drawRun({ ...run, samples }, 'a run'), />timeout</);
});

test('the picture of a run that ended at once, or whose servers said nothing, has no value that is not a number', () => {
  const silent = { ...calmSample(1), loopDelayMs: undefined, cpu: { servers: NaN, sandbox: 0, payers: 0, machine: 0 } };
  for (const samples of [[], [silent]])
    assert.doesNotMatch(
      drawRun({ ...run, samples, payments: [], disturbedAt: 0, endedAt: 0 }, 'a < b & c'),
      /NaN|Infinity|undefined|< b/,
    );
});
