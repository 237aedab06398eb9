// A lazily loaded file: the encoder of the `qrcode` package without its renderers, and its output as an SVG path.
import maskPattern from 'qrcode/lib/core/mask-pattern.js';
import { create, type EncodedQr } from 'qrcode/lib/core/qrcode.js';
import { chooseMask } from './choose-mask.ts';

// The encoder's own function chooses the same mask, but takes most of the encoder's time. It is replaced only in this bundle.
maskPattern.getBestMask = chooseMask;

/** A QR code. One unit of the path is one module. */
export interface QrImage {
  /** The side without the quiet zone, in modules. */
  readonly size: number;
  /** The width of the light margin, in modules. */
  readonly quietZone: number;
  /** The dark modules as an SVG path. */
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

/** The last text and its image. They are kept because a link is drawn before the screen that shows it is rendered. */
let lastDrawing: readonly [text: string, image: QrImage] | undefined;

/**
 * The QR code of a text: level Q (readable with 25 % of it damaged) while it stays small, else M.
 * Throws when the text is too long.
 */
export function drawQr(text: string): QrImage {
  if (lastDrawing?.[0] !== text) {
    const isShort = new TextEncoder().encode(text).length <= shortBytes;
    const code = create(text, { errorCorrectionLevel: isShort ? 'Q' : 'M' });
    lastDrawing = [text, { size: code.modules.size, quietZone, path: pathOf(code) }];
  }
  return { ...lastDrawing[1] };
}
