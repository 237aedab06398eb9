import { hash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { defaultAccent } from '../../base/widget-colours.ts';
import { textOn } from './accent.ts';

// The picture that a messenger shows beside a link to the page, where the shop has no logo for it: a bill on the shop's
// colour, without words, so that it is the same in each language and has nothing of a checkout. Messengers show no SVG.

const size = { width: 1200, height: 630 };

interface Shape {
  /** Left, top, right and bottom, in pixels. */
  readonly bounds: readonly [number, number, number, number];
  /** How far a point is from the shape, in pixels; negative inside. */
  readonly distance: (x: number, y: number) => number;
}

/** A rectangle around a point with half of its width and height; with that as its radius, a circle. */
const box = (atX: number, atY: number, halfWidth: number, halfHeight: number, radius: number): Shape => ({
  bounds: [atX - halfWidth, atY - halfHeight, atX + halfWidth, atY + halfHeight],
  distance(x, y) {
    const dx = Math.abs(x - atX) - halfWidth + radius;
    const dy = Math.abs(y - atY) - halfHeight + radius;
    return (dx > 0 && dy > 0 ? Math.sqrt(dx * dx + dy * dy) : Math.max(dx, dy)) - radius;
  },
});

const circle = (x: number, y: number, radius: number): Shape => box(x, y, radius, radius, radius);

/** A shape with its share of the colour of texts: 0 is the shop's colour. */
type Painted = readonly [shape: Shape, share: number];

const square = (x: number, y: number, half: number, radius: number): Shape => box(x, y, half, half, radius);
/** A corner of a QR code. */
const corner = (x: number, y: number): readonly Painted[] => [
  [square(x, y, 42, 14), 0],
  [square(x, y, 28, 7), 1],
  [square(x, y, 14, 4), 0],
];
const holes = Array.from({ length: 10 }, (_, hole): Painted => [circle(402 + hole * 44, 566, 14), 0]);

/** A bill with a QR code that no scanner reads, from the lowest shape to the highest. */
const shapes: readonly Painted[] = [
  [circle(1090, 60, 330), 0.07],
  [circle(90, 600, 270), 0.07],
  [box(600, 329, 198, 265, 28), 1],
  [box(600, 590, 200, 24, 0), 0],
  ...holes,
  ...corner(536, 168),
  ...corner(664, 168),
  ...corner(536, 296),
  [square(636, 268, 14, 4), 0],
  [square(692, 268, 14, 4), 0],
  [square(664, 296, 14, 4), 0],
  [square(636, 324, 14, 4), 0],
  [square(692, 324, 14, 4), 0],
  [square(600, 140, 9, 3), 0],
  [square(600, 196, 9, 3), 0],
  [square(508, 232, 9, 3), 0],
  [square(564, 232, 9, 3), 0],
  [box(552, 390, 58, 9, 9), 0.72],
  [box(600, 426, 106, 9, 9), 0.72],
  [box(600, 490, 106, 30, 15), 0],
];

/** One byte for each pixel, and one that says how the row is filtered before each row: not at all. */
function draw(): Buffer {
  const rows = Buffer.alloc(size.height * (size.width + 1));
  for (const [{ bounds, distance }, share] of shapes) {
    const [left, top, right, bottom] = bounds;
    const [endX, endY] = [Math.min(right, size.width - 1), Math.min(bottom, size.height - 1)];
    for (let y = Math.max(0, top); y <= endY; y += 1)
      for (let x = Math.max(0, left); x <= endX; x += 1) {
        const covered = 0.5 - distance(x + 0.5, y + 0.5);
        if (covered <= 0) continue;
        const at = y * (size.width + 1) + x + 1;
        const below = rows[at] ?? 0;
        rows[at] = Math.round(below + (share * 255 - below) * Math.min(1, covered));
      }
  }
  return rows;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typeAndData));
  return Buffer.concat([length, typeAndData, checksum]);
}

/** The picture as PNG. Its palette goes from the shop's colour to black or white, which can be read on it. */
function drawCard(accent: string): Buffer {
  const colour = Buffer.from(accent.slice(1), 'hex');
  const text = textOn(accent) === '#fff' ? 255 : 0;
  const palette = Uint8Array.from({ length: 256 * 3 }, (_, index) => {
    const part = colour[index % 3] ?? 0;
    return Math.round(part + ((text - part) * Math.floor(index / 3)) / 255);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  header.set([8, 3], 8); // 8 bits of a palette
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(draw(), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The picture's file beside the pages. */
export const cardFile = 'card.png';

/** The shop's logo where a messenger can load and show it, else the drawn picture. `pagesUrl` is the address of the pages. */
export function previewPicture(logoUrl: string | undefined, pagesUrl: string): string {
  const { protocol, pathname, href } = new URL(logoUrl ?? cardFile, pagesUrl);
  return logoUrl !== undefined && protocol === 'https:' && !/\.svgz?$/i.test(pathname)
    ? href
    : new URL(cardFile, pagesUrl).href;
}

/** Answers a GET or HEAD of the picture, which is drawn for the first of them. `accent` has the form of `accentPattern`. */
export function createCardHandler(accent: string = defaultAccent): (request: Request) => Response {
  let drawn: { readonly png: Buffer<ArrayBuffer>; readonly etag: string } | undefined;
  return ({ method, headers }) => {
    if (drawn === undefined) {
      const png = Buffer.from(drawCard(accent));
      drawn = { png, etag: `"${hash('sha256', png, 'base64url').slice(0, 22)}"` };
    }
    const { png, etag } = drawn;
    const isKnown = headers.get('if-none-match')?.includes(etag) === true;
    return new Response(isKnown || method === 'HEAD' ? null : png, {
      status: isKnown ? 304 : 200,
      headers: {
        'content-type': 'image/png',
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
        etag,
      },
    });
  };
}
