import type { Level } from './codewords.ts';

/** Dark modules by row; `undefined` is still free. */
type Grid = (boolean | undefined)[][];

/** Which modules a mask turns over (ISO/IEC 18004, table 10); x and y count from the left top. */
const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function set(grid: Grid, x: number, y: number, dark: boolean): void {
  const row = grid[y];
  if (row !== undefined && x >= 0 && x < grid.length) row[x] = dark;
}

/** A value followed by its check bits. */
function checked(value: number, polynomial: number, bits: number): number {
  let rest = value;
  for (let step = 0; step < bits; step++) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * polynomial);
  return (value << bits) | rest;
}

const bit = (value: number, index: number): boolean => ((value >>> index) & 1) === 1;

function drawFormat(grid: Grid, level: Level, mask: number): void {
  const size = grid.length;
  const format = checked((level.bits << 3) | mask, 0x537, 10) ^ 0x5412;
  for (let index = 0; index < 15; index++) {
    const dark = bit(format, index);
    const along = index < 6 ? index : index < 8 ? index + 1 : 14 - index + (index === 8 ? 1 : 0);
    if (index < 8) set(grid, 8, along, dark);
    else set(grid, along, 8, dark);
    if (index < 8) set(grid, size - 1 - index, 8, dark);
    else set(grid, 8, size - 15 + index, dark);
  }
  set(grid, 8, size - 8, true);
}

function drawVersion(grid: Grid, version: number): void {
  if (version < 7) return;
  const information = checked(version, 0x1f25, 12);
  for (let index = 0; index < 18; index++) {
    const far = grid.length - 11 + (index % 3);
    const near = Math.floor(index / 3);
    set(grid, far, near, bit(information, index));
    set(grid, near, far, bit(information, index));
  }
}

/** Squares inside each other around a middle: finders reach 4 with their margin, alignments 2. */
function drawSquares(grid: Grid, x: number, y: number, reach: number): void {
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      set(grid, x + dx, y + dy, reach === 4 ? distance !== 2 && distance !== 4 : distance !== 1);
    }
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)];
}

function drawPatterns(version: number, level: Level): Grid {
  const size = version * 4 + 17;
  const grid: Grid = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined));
  for (let index = 0; index < size; index++) {
    set(grid, 6, index, index % 2 === 0);
    set(grid, index, 6, index % 2 === 0);
  }
  const corners = [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const;
  for (const [x, y] of corners) drawSquares(grid, x, y, 4);
  const at = alignments(version, size);
  const last = size - 7;
  for (const x of at)
    for (const y of at) {
      const isFinder = (x === 6 && (y === 6 || y === last)) || (x === last && y === 6);
      if (!isFinder) drawSquares(grid, x, y, 2);
    }
  drawFormat(grid, level, 0);
  drawVersion(grid, version);
  return grid;
}

/** The free modules in the order in which codewords fill them: in pairs of columns, up and down, from the right. */
function* freeModules(grid: Grid): Generator<readonly [x: number, y: number]> {
  const size = grid.length;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const upward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (grid[y]?.[x] === undefined) yield [x, y];
    }
  }
}

/** How hard a code is to read: runs, blocks, look-alikes of finders, too dark or too light (ISO/IEC 18004, 7.8.3). */
function penalty(grid: Grid): number {
  const rows = grid.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''));
  const columns = rows.map((_, x) => rows.map((row) => row.charAt(x)).join(''));
  let points = 0;
  for (const line of [...rows, ...columns]) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (line.match(/(?=10111010000|00001011101)/g) ?? []).length;
  }
  rows.forEach((row, y) => {
    const below = rows[y + 1] ?? '';
    for (let x = 0; x + 1 < below.length; x++)
      if (/^(?:0000|1111)$/.test(row.slice(x, x + 2) + below.slice(x, x + 2))) points += 3;
  });
  const dark = rows.join('').replaceAll('0', '').length / grid.length ** 2;
  return points + 10 * Math.floor(Math.abs(dark * 20 - 10));
}

/** A code's modules by row, true for dark, with the mask that is easiest to read. */
export function matrixOf(codewords: readonly number[], version: number, level: Level): readonly (readonly boolean[])[] {
  const free = [...freeModules(drawPatterns(version, level))];
  const candidates = masks.map((isTurned, mask) => {
    const grid = drawPatterns(version, level);
    free.forEach(([x, y], index) => {
      set(grid, x, y, bit(codewords[index >>> 3] ?? 0, 7 - (index & 7)) !== isTurned(x, y));
    });
    drawFormat(grid, level, mask);
    return { grid, points: penalty(grid) };
  });
  const best = candidates.reduce((least, next) => (next.points < least.points ? next : least));
  return best.grid.map((row) => row.map((dark) => dark === true));
}
