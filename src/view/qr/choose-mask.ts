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
const maskPeriod = 12;

const createTile = (mask: (y: number, x: number) => number): Uint8Array =>
  Uint8Array.from({ length: maskPeriod * maskPeriod }, (_, index) =>
    Number(mask(Math.floor(index / maskPeriod), index % maskPeriod) === 0),
  );

/** Whether the last 11 modules of a line look like a finder with a light margin on one side. */
const looksLikeFinder = (line: number): boolean => line === 0x5d0 || line === 0x05d;

/**
 * The penalty of a mask by the four rules of ISO/IEC 18004, 7.8.3.1, in one pass: runs of five or more, squares of one colour,
 * finder-like patterns, and the share of dark modules. Stops early once the sum reaches `penaltyLimit`.
 */
function penaltyOf({ size, data, reservedBit }: Modules, tile: Uint8Array, penaltyLimit: number): number {
  // For each column: its last 11 modules as bits, and the length of the run at its end.
  const columns = new Uint16Array(size);
  const runs = new Uint8Array(size);
  let penalty = 0;
  let darkModules = 0;
  for (let y = 0, index = 0; y < size && penalty < penaltyLimit; y += 1) {
    let rowBits = 0;
    let rowRun = 0;
    let leftPair = -1;
    for (let x = 0; x < size; x += 1, index += 1) {
      const inverted = reservedBit[index] ? 0 : (tile[(y % maskPeriod) * maskPeriod + (x % maskPeriod)] ?? 0);
      const module = (data[index] ?? 0) ^ inverted;
      darkModules += module;

      rowRun = x > 0 && (rowBits & 1) === module ? rowRun + 1 : 1;
      rowBits = ((rowBits << 1) | module) & 0x7ff;
      if (rowRun >= 5) penalty += rowRun === 5 ? 3 : 1;
      if (x >= 10 && looksLikeFinder(rowBits)) penalty += 40;

      const columnAbove = columns[x] ?? 0;
      const columnRun = y > 0 && (columnAbove & 1) === module ? (runs[x] ?? 0) + 1 : 1;
      const columnBits = ((columnAbove << 1) | module) & 0x7ff;
      runs[x] = columnRun;
      columns[x] = columnBits;
      if (columnRun >= 5) penalty += columnRun === 5 ? 3 : 1;
      if (y >= 10 && looksLikeFinder(columnBits)) penalty += 40;

      const pair = columnRun > 1 ? module : -1;
      if (pair >= 0 && pair === leftPair) penalty += 3;
      leftPair = pair;
    }
  }
  return penalty + Math.abs(Math.ceil((darkModules * 20) / (size * size)) - 10) * 10;
}

/**
 * The first mask with the least penalty. The `qrcode` package chooses the same mask, but passes over the modules about ten
 * times for each mask, which takes longer than the rest of its work.
 *
 * @param setFormat - writes a mask's format bits, which count towards the penalty
 */
export function chooseMask(modules: Modules, setFormat: (mask: number) => void): number {
  let bestMask = 0;
  let leastPenalty = Infinity;
  for (const [mask, formula] of masks.entries()) {
    setFormat(mask);
    const penalty = penaltyOf(modules, createTile(formula), leastPenalty);
    if (penalty >= leastPenalty) continue;
    leastPenalty = penalty;
    bestMask = mask;
  }
  return bestMask;
}
