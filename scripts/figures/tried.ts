import { z } from 'zod';

/** How often the properties of one test file were tried. */
export interface Tried {
  readonly file: string;
  readonly properties: number;
  readonly runs: number;
}

const line = z.object({ file: z.string(), runs: z.number() });

/** Reads what FC_REPORT gathered, a line of JSON for each property. */
export function readTried(text: string): readonly Tried[] {
  const byFile = new Map<string, Tried>();
  for (const one of text.trim().split('\n')) {
    const { file, runs } = line.parse(JSON.parse(one));
    const before = byFile.get(file) ?? { file, properties: 0, runs: 0 };
    byFile.set(file, { file, properties: before.properties + 1, runs: before.runs + runs });
  }
  return [...byFile.values()].sort((one, other) => one.file.localeCompare(other.file));
}
