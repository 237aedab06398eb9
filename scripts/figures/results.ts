import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

// What the long runs found, as it is kept in test/results for docs/testing.md.

const measured = z.object({ date: z.string(), machine: z.string(), load: z.string() });

const sample = z.object({
  timers: z.number(),
  asking: z.number(),
  asked: z.number(),
  heap: z.number(),
  nodes: z.number(),
  listeners: z.number(),
});

const score = z.object({
  module: z.string(),
  noticed: z.number(),
  survived: z.number(),
  explained: z.number(),
  score: z.number(),
  digest: z.string().optional(),
});

const tried = z.object({ file: z.string(), properties: z.number(), runs: z.number() });

const row = z.object({ where: z.string(), tests: z.number(), skipped: z.number() });

const shapes = {
  /** `npm run test:mutation`, by module. */
  mutation: z.record(z.string(), measured.extend(score.shape)),
  /** `npm run test:life`: counts after a fifth of the mounts and after all, and after each hour. */
  life: measured.extend({
    mounts: z.object({ mounts: z.number(), early: sample, late: sample }),
    hours: z.object({ hours: z.number(), samples: z.array(sample) }),
  }),
  /** `npm run test:fuzz`. */
  fuzz: measured.extend({ seed: z.number(), seconds: z.number(), tried: z.array(tried) }),
  /** `npm run test:visual -- --update`. */
  visual: measured.extend({ browser: z.string(), pictures: z.number(), bytes: z.number() }),
  /** `npm run test:count`, by command. */
  suites: z.record(z.string(), measured.extend({ seconds: z.number(), rows: z.array(row) })),
};

export type Results = { readonly [K in keyof typeof shapes]: z.infer<(typeof shapes)[K]> };
export type Sample = z.infer<typeof sample>;
export type Row = z.infer<typeof row>;

const fileOf = (name: string): URL => new URL(`../../test/results/${name}.json`, import.meta.url);

/** The newest result of a run, or undefined where there is none. */
export function readResult<K extends keyof Results>(name: K): Results[K] | undefined {
  if (!existsSync(fileOf(name))) return undefined;
  return shapes[name].parse(JSON.parse(readFileSync(fileOf(name), 'utf8'))) as Results[K];
}

export function writeResult<K extends keyof Results>(name: K, result: Results[K]): void {
  writeFileSync(fileOf(name), `${JSON.stringify(shapes[name].parse(result), undefined, 2)}\n`);
}
