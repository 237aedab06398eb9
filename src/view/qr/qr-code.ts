// The lazy chunk: draws a QR code. Only byte mode and levels M and Q, which is what links need: a third of the size
// of a full encoder, and its codes are held against one in the tests.
import { codewordsOf, medium, quartile, versionFor } from './codewords.ts';
import { matrixOf } from './matrix.ts';
import { quietZone, type QrPicture } from './picture.ts';

/** The dark modules of a row as runs of a path. */
function rowPath(row: readonly boolean[], y: number): string {
  const line = row.map((dark) => (dark ? '1' : '0')).join('');
  return [...line.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`).join('');
}

/** The QR code of a text (UTF-8). Level Q as long as it stays small (37 modules), else M. Throws when it is too long. */
export function drawQr(text: string): QrPicture {
  const bytes = new TextEncoder().encode(text);
  const small = versionFor(bytes.length, quartile);
  const level = small === undefined ? medium : quartile;
  const version = small ?? versionFor(bytes.length, medium);
  if (version === undefined) throw new RangeError('too long for a QR code');
  const matrix = matrixOf(codewordsOf(bytes, version, level), version, level);
  return { size: matrix.length, path: matrix.map(rowPath).join('') };
}

/** A picture as an image file, with its quiet zone. */
export function saveQr({ size, path }: QrPicture, name: string): void {
  const scale = Math.ceil(640 / size);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (size + 2 * quietZone) * scale;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, quietZone * scale, quietZone * scale);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  canvas.toBlob((blob) => {
    if (blob === null) return;
    const url = URL.createObjectURL(blob);
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}.png`;
    link.click();
    URL.revokeObjectURL(url);
  });
}
