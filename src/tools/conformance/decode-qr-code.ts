import { getBlocksCount, getTotalCodewordsCount } from 'qrcode/lib/core/error-correction-code.js';
import { H, L, M, Q } from 'qrcode/lib/core/error-correction-level.js';
import { create } from 'qrcode/lib/core/qrcode.js';
import { unpackModules, type PackedQr } from '../../base/qr-modules.ts';

// Reads a QR code from its modules (ISO/IEC 18004). A bitmap has no errors to correct, so the check words are skipped.

/** The mask formulas. A module is inverted where the formula is 0. */
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

/** The levels of error correction by their two bits in the format. */
const levels = [M, L, H, Q] as const;

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** The codewords in the order of the modules: columns of two from the right, upwards and downwards in turn. */
function readCodewords(size: number, isDark: (index: number) => boolean, reserved: Uint8Array, mask: number): number[] {
  const words: number[] = [];
  let bitCount = 0;
  let columnPair = 0;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    columnPair += 1;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = columnPair % 2 === 1 ? size - 1 - step : step;
        if (reserved[y * size + x]) continue;
        const bit = Number(isDark(y * size + x) !== (masks[mask]?.(y, x) === 0));
        words[bitCount >> 3] = ((words[bitCount >> 3] ?? 0) << 1) | bit;
        bitCount += 1;
      }
  }
  return words;
}

/** The data codewords, which are interleaved by blocks. The first blocks may be one word shorter than the others. */
function withoutInterleaving(words: readonly number[], blockCount: number, checkWordCount: number): number[] {
  const dataCount = words.length - checkWordCount;
  const shortLength = Math.floor(dataCount / blockCount);
  const shortBlocks = blockCount - (dataCount % blockCount);
  const blocks = Array.from({ length: blockCount }, (_, block) =>
    Array.from({ length: shortLength }, (_word, index) => words[index * blockCount + block] ?? 0).concat(
      block < shortBlocks ? [] : (words[shortLength * blockCount + block - shortBlocks] ?? 0),
    ),
  );
  return blocks.flat();
}

/** The text of the segments in a bit string. */
function readSegments(bits: string, version: number): string {
  let position = 0;
  const take = (count: number): number => {
    position += count;
    return Number.parseInt(bits.slice(position - count, position) || '0', 2);
  };
  const size = version < 10 ? 0 : version < 27 ? 1 : 2;
  const bytes: number[] = [];
  const write = (text: string): void => void bytes.push(...new TextEncoder().encode(text));
  for (let mode = take(4); mode > 0 && position < bits.length; mode = take(4))
    if (mode === 7) take(8);
    else if (mode === 4) for (let count = take(size ? 16 : 8); count > 0; count -= 1) bytes.push(take(8));
    else if (mode === 2)
      for (let count = take(9 + 2 * size); count > 0; count -= 2) {
        const pair = take(count > 1 ? 11 : 6);
        write((count > 1 ? alphanumerics.charAt(Math.floor(pair / 45)) : '') + alphanumerics.charAt(pair % 45));
      }
    else if (mode === 1)
      for (let count = take(10 + 2 * size); count > 0; count -= 3) {
        const length = Math.min(3, count);
        write(String(take([4, 7, 10][length - 1] ?? 0)).padStart(length, '0'));
      }
    else return '';
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The text in a QR code; undefined where the modules are not those of a code of this size. */
export function decodeQrCode(qr: PackedQr): string | undefined {
  const isDark = unpackModules(qr);
  if (!isDark) return undefined;
  const { size } = qr;
  const version = (size - 17) / 4;
  // The first five of the format's bits, in row 8, with the format's own mask.
  const format = [0, 1, 2, 3, 4].reduce((bits, x) => (bits << 1) | Number(isDark(8 * size + x)), 0) ^ 0b10101;
  const { reservedBit } = create('0', { version, errorCorrectionLevel: 'M', maskPattern: 0 }).modules;
  const level = levels[format >> 3] ?? M;
  const words = readCodewords(size, isDark, reservedBit, format & 7);
  const wordCount = Math.floor(Array.from(reservedBit).filter((bit) => !bit).length / 8);
  const data = withoutInterleaving(
    words.slice(0, wordCount),
    getBlocksCount(version, level),
    getTotalCodewordsCount(version, level),
  );
  return readSegments(data.map((word) => word.toString(2).padStart(8, '0')).join(''), version);
}
