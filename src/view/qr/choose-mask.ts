/** The modules of a QR code, row by row: 1 is dark. A mask does not change modules with a reserved bit (finders, format, version). */
export interface Modules {
  readonly size: number;
  readonly data: Uint8Array;
  readonly reservedBit: Uint8Array;
}

/** The mask formulas. A module is inverted where the formula is 0 (ISO/IEC 18004, table 10). Each repeats after 12 rows and columns. */
const masks: readonly ((y: number, x: number) => number)[] = [
  (y, x) => (x + y) % 2,
  (y) => y % 2,
  (_, x) => x % 3,
  (y, x) => (x + y) % 3,
  (y, x) => ((y >> 1) + Math.floor(x / 3)) % 2,
  (y, x) => ((x * y) % 2) + ((x * y) % 3),
  (y, x) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (y, x) => (((x * y) % 3) + ((x + y) % 2)) % 2,
];
const period = 12;

const tileOf = (mask: (y: number, x: number) => number): Uint8Array =>
  Uint8Array.from({ length: period * period }, (_, index) =>
    Number(mask(Math.floor(index / period), index % period) === 0),
  );

/** Whether the last 11 modules of a line look like a finder with a light margin on one side. */
const likeFinder = (line: number): boolean => line === 0x5d0 || line === 0x05d;

/**
 * The penalty of a mask by the four rules of ISO/IEC 18004, 7.8.3.1, in one pass: runs of five or more, squares of one colour,
 * finder-like patterns, and the share of dark modules. Stops early once the sum reaches `most`.
 */
function penaltyOf({ size, data, reservedBit }: Modules, tile: Uint8Array, most: number): number {
  // For each column: its last 11 modules as bits, and the length of the run at its end.
  const columns = new Uint16Array(size);
  const runs = new Uint8Array(size);
  let points = 0;
  let darkModules = 0;
  for (let y = 0, index = 0; y < size && points < most; y += 1) {
    let row = 0;
    let run = 0;
    let leftPair = -1;
    for (let x = 0; x < size; x += 1, index += 1) {
      const inverted = reservedBit[index] ? 0 : (tile[(y % period) * period + (x % period)] ?? 0);
      const module = (data[index] ?? 0) ^ inverted;
      darkModules += module;

      run = x > 0 && (row & 1) === module ? run + 1 : 1;
      row = ((row << 1) | module) & 0x7ff;
      if (run >= 5) points += run === 5 ? 3 : 1;
      if (x >= 10 && likeFinder(row)) points += 40;

      const above = columns[x] ?? 0;
      const length = y > 0 && (above & 1) === module ? (runs[x] ?? 0) + 1 : 1;
      const column = ((above << 1) | module) & 0x7ff;
      runs[x] = length;
      columns[x] = column;
      if (length >= 5) points += length === 5 ? 3 : 1;
      if (y >= 10 && likeFinder(column)) points += 40;

      const pair = length > 1 ? module : -1;
      if (pair >= 0 && pair === leftPair) points += 3;
      leftPair = pair;
    }
  }
  return points + Math.abs(Math.ceil((darkModules * 20) / (size * size)) - 10) * 10;
}

/**
 * The first mask with the least penalty. The `qrcode` package chooses the same one, but passes over the modules about ten
 * times for each mask, which takes longer than the rest of its work.
 *
 * @param setFormat - writes a mask's format bits, which count towards the penalty
 */
export function chooseMask(modules: Modules, setFormat: (mask: number) => void): number {
  let best = 0;
  let least = Infinity;
  for (const [mask, formula] of masks.entries()) {
    setFormat(mask);
    const penalty = penaltyOf(modules, tileOf(formula), least);
    if (penalty >= least) continue;
    least = penalty;
    best = mask;
  }
  return best;
}
