import { PNG } from 'pngjs';

/** How far a colour channel may be off, of 255. */
const tolerance = 8;
/** How many pixels may be off by more: an edge of one letter, far less than a button that moved. */
const mostOff = 12;

/** What is different between two pictures, in words and as a picture: red is what is off. */
export interface Difference {
  readonly told: string;
  readonly picture: Buffer;
}

/** The colour at a place, or -1 for each channel outside of the picture. */
function colourAt({ width, height, data }: PNG, x: number, y: number): readonly number[] {
  const at = (y * width + x) * 4;
  return [0, 1, 2].map((channel) => (x < width && y < height ? (data[at + channel] ?? -1) : -1));
}

/** What is off between two pictures (PNG), or undefined where nobody would see it. */
export function differenceOf(expected: Buffer, actual: Buffer): Difference | undefined {
  const [before, after] = [PNG.sync.read(expected), PNG.sync.read(actual)];
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const marked = new PNG({ width, height });
  let off = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const was = colourAt(before, x, y);
      const is = colourAt(after, x, y);
      const isOff = is.some((value, channel) => value < 0 || Math.abs(value - (was[channel] ?? -1)) > tolerance);
      if (isOff) off += 1;
      const shade = 192 + (is[1] ?? 0) / 4;
      marked.data.set(isOff ? [255, 0, 0, 255] : [shade, shade, shade, 255], (y * width + x) * 4);
    }
  if (off <= mostOff) return undefined;
  const size = `${after.width} × ${after.height}`;
  const was = size === `${before.width} × ${before.height}` ? '' : ` (${before.width} × ${before.height} before)`;
  return { told: `${off} pixels of ${size}${was} are off`, picture: PNG.sync.write(marked) };
}

/** The same picture in fewer bytes: without the alpha channel, and unfiltered, which suits large plain areas. */
export function packed(picture: Buffer): Buffer {
  return PNG.sync.write(PNG.sync.read(picture), { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
}
