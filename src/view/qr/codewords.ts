import { correction, generator } from './reed-solomon.ts';

/** Error correction: M bears 15 % of damage, Q 25 %. `bits` stands for it in the format information. */
export interface Level {
  readonly bits: number;
  /** Error correction codewords a block, and blocks, for the versions from 1 (ISO/IEC 18004, table 9). */
  readonly correction: readonly number[];
  readonly blocks: readonly number[];
}

const numbers = (text: string): readonly number[] => text.split(' ').map(Number);

export const medium: Level = {
  bits: 0,
  correction: numbers('10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26' + ' 28'.repeat(19)),
  blocks: numbers(
    '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49',
  ),
};

/** Only for codes that stay small: its table ends with version 5. */
export const quartile: Level = { bits: 3, correction: [13, 22, 18, 26, 18], blocks: [1, 1, 2, 2, 4] };

/** How many codewords a version holds in all. */
function capacity(version: number): number {
  const count = Math.floor(version / 7) + 2;
  const alignment = version > 1 ? (25 * count - 10) * count - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - alignment - (version > 6 ? 36 : 0)) / 8);
}

const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

/** The smallest version that holds so many bytes at a level, or `undefined` when none does. */
export function versionFor(bytes: number, level: Level): number | undefined {
  const index = level.blocks.findIndex((blocks, at) => {
    const room = capacity(at + 1) - (level.correction[at] ?? 0) * blocks;
    return 4 + lengthBits(at + 1) + bytes * 8 <= room * 8;
  });
  return index < 0 ? undefined : index + 1;
}

/** The text as data codewords: byte mode, length, bytes, and padding up to `room`. */
function dataCodewords(bytes: Uint8Array, version: number, room: number): number[] {
  const padded = [bytes.length, ...bytes].map((value, index) =>
    value.toString(2).padStart(index === 0 ? lengthBits(version) : 8, '0'),
  );
  const bits = `0100${padded.join('')}0000`;
  const codewords = (bits.match(/.{1,8}/g) ?? []).slice(0, room).map((byte) => parseInt(byte.padEnd(8, '0'), 2));
  for (let pad = 0; codewords.length < room; pad++) codewords.push(pad % 2 === 0 ? 0xec : 0x11);
  return codewords;
}

/** All codewords of a code in the order in which they are laid out: blocks and their correction, interleaved. */
export function codewordsOf(bytes: Uint8Array, version: number, level: Level): number[] {
  const blocks = level.blocks[version - 1] ?? 1;
  const length = level.correction[version - 1] ?? 0;
  const total = capacity(version);
  const data = dataCodewords(bytes, version, total - length * blocks);
  const divisor = generator(length);
  const short = Math.floor(total / blocks) - length;
  const longFrom = blocks - (total % blocks);

  const parts = Array.from({ length: blocks }, (_, index) => {
    const start = index * short + Math.max(0, index - longFrom);
    return data.slice(start, start + short + (index < longFrom ? 0 : 1));
  });
  const corrections = parts.map((part) => correction(part, divisor));
  const interleave = (rows: readonly number[][], width: number): number[] =>
    Array.from({ length: width }, (_, column) => rows.flatMap((row) => row.slice(column, column + 1))).flat();
  return [...interleave(parts, short + 1), ...interleave(corrections, length)];
}
