// A lazily loaded file: the encoder of the `qrcode` package without its renderers, and its output as an SVG path.
import maskPattern from 'qrcode/lib/core/mask-pattern.js';
import { create, type EncodedQr } from 'qrcode/lib/core/qrcode.js';
import { chooseMask } from './choose-mask.ts';

// The encoder's own function chooses the same mask but takes most of its time, so this file's copy of the encoder uses ours.
maskPattern.getBestMask = chooseMask;

/** A QR code as modules: the side without its quiet zone, and the dark modules as an SVG path. */
export interface QrImage {
  readonly size: number;
  /** The width of the light margin, in modules. */
  readonly quietZone: number;
  readonly path: string;
}

const quietZone = 4;

/** The longest text, in bytes, that fits level Q in a code of 37 × 37 modules. */
const shortBytes = 60;

/** The dark modules as an SVG path of horizontal runs. */
function pathOf({ modules: { size, data } }: EncodedQr): string {
  const rows = Array.from({ length: size }, (_, y) => data.subarray(y * size, (y + 1) * size).join(''));
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
    )
    .join('');
}

/** The last text, and its image: a link is drawn ahead of the screen that shows it. */
let last: readonly [text: string, image: QrImage] | undefined;

/**
 * The QR code of a text: level Q (readable with 25 % of it damaged) while it stays small, else M.
 * Throws when the text is too long.
 */
export function drawQr(text: string): QrImage {
  if (last?.[0] !== text) {
    const isShort = new TextEncoder().encode(text).length <= shortBytes;
    const code = create(text, { errorCorrectionLevel: isShort ? 'Q' : 'M' });
    last = [text, { size: code.modules.size, quietZone, path: pathOf(code) }];
  }
  return { ...last[1] };
}
