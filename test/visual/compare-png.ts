import { PNG } from 'pngjs';

/** The accepted difference of a colour channel, whose maximum is 255: of a PNG, and of a WebP, which is not exact. */
const tolerances = { png: 8, webp: 64 };
/** The accepted number of pixels that differ by more. It covers the edge of one letter, but no moved button. */
const maxDifferentPixels = 12;

/** The difference between two pictures, as a text and as a picture in which the differing pixels are red. */
export interface Difference {
  readonly description: string;
  readonly picture: Buffer;
}

/** Returns the colour of a pixel. Each channel is -1 outside of the picture. */
function colourAt({ width, height, data }: PNG, x: number, y: number): readonly number[] {
  const index = (y * width + x) * 4;
  return [0, 1, 2].map((channel) => (x < width && y < height ? (data[index + channel] ?? -1) : -1));
}

/** Compares two pictures (PNG), which come from files of a type. Returns undefined where they differ by less than the tolerance. */
export function differenceOf(
  expected: Buffer,
  actual: Buffer,
  type: keyof typeof tolerances = 'png',
): Difference | undefined {
  const tolerance = tolerances[type];
  const [expectedPicture, actualPicture] = [PNG.sync.read(expected), PNG.sync.read(actual)];
  const width = Math.max(expectedPicture.width, actualPicture.width);
  const height = Math.max(expectedPicture.height, actualPicture.height);
  const markedPicture = new PNG({ width, height });
  let differentPixels = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const expectedColour = colourAt(expectedPicture, x, y);
      const actualColour = colourAt(actualPicture, x, y);
      const isDifferent = actualColour.some(
        (value, channel) => value < 0 || Math.abs(value - (expectedColour[channel] ?? -1)) > tolerance,
      );
      if (isDifferent) differentPixels += 1;
      const shade = 192 + (actualColour[1] ?? 0) / 4;
      markedPicture.data.set(isDifferent ? [255, 0, 0, 255] : [shade, shade, shade, 255], (y * width + x) * 4);
    }
  if (differentPixels <= maxDifferentPixels) return undefined;
  const size = `${actualPicture.width} × ${actualPicture.height}`;
  const expectedSize =
    size === `${expectedPicture.width} × ${expectedPicture.height}`
      ? ''
      : ` (${expectedPicture.width} × ${expectedPicture.height} before)`;
  return {
    description: `${differentPixels} pixels of ${size}${expectedSize} are off`,
    picture: PNG.sync.write(markedPicture),
  };
}

/** Writes the picture in fewer bytes, without the alpha channel and unfiltered, which suits large plain areas. */
export function compress(picture: Buffer): Buffer {
  return PNG.sync.write(PNG.sync.read(picture), { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
}
