/** A QR code as the checkout API has it (docs/checkout-api.md, `qr`). */
export interface PackedQr {
  /** The side in modules. */
  readonly size: number;
  /** Base64 of size × size bits, row by row from the top left, the first in the highest bit of the first byte; 1 is dark. */
  readonly modules: string;
}

/** Returns a function for the module at an index, row by row; undefined where the text is not that of a code of this size. */
export function unpackModules({ size, modules }: PackedQr): ((index: number) => boolean) | undefined {
  let bytes = '';
  try {
    bytes = atob(modules);
  } catch {
    return undefined; // not base64
  }
  if (size < 21 || size > 177 || (size - 17) % 4 || bytes.length !== Math.ceil((size * size) / 8)) return undefined;
  return (index) => (bytes.charCodeAt(index >> 3) & (128 >> (index & 7))) > 0;
}

/** A QR code to show. One unit of the path is one module. */
export interface QrImage {
  /** The side without the quiet zone, in modules. */
  readonly size: number;
  /** The dark modules as an SVG path of horizontal runs. */
  readonly path: string;
  /** Whether the module at an index, row by row, is dark. */
  readonly isDark: (index: number) => boolean;
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
  return { size, path, isDark };
}
