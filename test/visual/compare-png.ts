import { PNG } from 'pngjs';

/** The accepted difference of a colour channel, of 255. */
const tolerance = 8;
/** The accepted number of pixels that differ by more: the edge of one letter, far less than a moved button. */
const mostDifferentPixels = 12;

/** The difference between two pictures, as a text and as a picture in which the differing pixels are red. */
export interface Difference {
  readonly description: string;
  readonly picture: Buffer;
}

/** The colour at a place, or -1 for each channel outside of the picture. */
function colourAt({ width, height, data }: PNG, x: number, y: number): readonly number[] {
  const at = (y * width + x) * 4;
  return [0, 1, 2].map((channel) => (x < width && y < height ? (data[at + channel] ?? -1) : -1));
}

/** Compares two pictures (PNG). Returns undefined where they differ by less than the tolerance. */
export function differenceOf(expected: Buffer, actual: Buffer): Difference | undefined {
  const [before, after] = [PNG.sync.read(expected), PNG.sync.read(actual)];
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const markedPicture = new PNG({ width, height });
  let differentPixels = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const expectedColour = colourAt(before, x, y);
      const actualColour = colourAt(after, x, y);
      const isOff = actualColour.some(
        (value, channel) => value < 0 || Math.abs(value - (expectedColour[channel] ?? -1)) > tolerance,
      );
      if (isOff) differentPixels += 1;
      const shade = 192 + (actualColour[1] ?? 0) / 4;
      markedPicture.data.set(isOff ? [255, 0, 0, 255] : [shade, shade, shade, 255], (y * width + x) * 4);
    }
  if (differentPixels <= mostDifferentPixels) return undefined;
  const size = `${after.width} × ${after.height}`;
  const expectedSize =
    size === `${before.width} × ${before.height}` ? '' : ` (${before.width} × ${before.height} before)`;
  return {
    description: `${differentPixels} pixels of ${size}${expectedSize} are off`,
    picture: PNG.sync.write(markedPicture),
  };
}

/** The same picture in fewer bytes: without the alpha channel, and unfiltered, which suits large plain areas. */
export function packed(picture: Buffer): Buffer {
  return PNG.sync.write(PNG.sync.read(picture), { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
}
