import { unpackModules, type PackedQr } from '../../base/qr-modules.ts';

/** A QR code to show. One unit of the path is one module. */
export interface QrImage {
  /** The side without the quiet zone, in modules. */
  readonly size: number;
  /** The dark modules as an SVG path of horizontal runs. */
  readonly path: string;
}

/** The width of the light margin, in modules. */
export const quietZone = 4;

/** Draws a QR code; undefined where it is not of its form. */
export function drawQr(qr: PackedQr): QrImage | undefined {
  const { size } = qr;
  const isDark = unpackModules(qr);
  if (!isDark) return undefined;
  let path = '';
  // Relative moves repeat, and compress to half of what absolute ones do.
  let [fromX, fromY] = [0, 0];
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const start = x;
      while (x < size && isDark(y * size + x)) x += 1;
      if (x === start) continue;
      path += `m${start - fromX} ${y - fromY}h${x - start}v1h-${x - start}z`;
      [fromX, fromY] = [start, y];
    }
  return { size, path };
}
