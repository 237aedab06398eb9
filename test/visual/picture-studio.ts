// Composes and encodes pictures in a page of Chromium, which knows WebP.
import { PNG } from 'pngjs';
import type { Browser, Page } from 'playwright-core';
import type { AnimationFrame } from './animated-webp.ts';

/** How much of a picture is kept: text stays sharp, and the package, which has the pictures, small. */
const quality = 0.4;

/** A part of a picture, in pixels. */
type Area = Pick<AnimationFrame, 'left' | 'top' | 'width' | 'height'>;

const addressOf = (type: 'png' | 'webp', picture: Buffer): string =>
  `data:image/${type};base64,${picture.toString('base64')}`;

/** A picture (PNG) in a page, in pixels of CSS. */
export const imageOf = (picture: Buffer, width: number): string =>
  `<img width="${width}" src="${addressOf('png', picture)}">`;

/** The difference of a colour channel, whose maximum is 255, that nobody sees. */
const invisible = 8;

/** The part in which one sees a difference of two pictures of one size, from an even pixel on; undefined where there is none. */
export function differingArea(before: Buffer, after: Buffer): Area | undefined {
  const [old, { width, height, data }] = [PNG.sync.read(before), PNG.sync.read(after)];
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < data.length; at += 1) {
    if (Math.abs((data[at] ?? 0) - (old.data[at] ?? 0)) <= invisible) continue;
    const [x, y] = [Math.floor(at / 4) % width, Math.floor(at / 4 / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), y];
  }
  if (right < 0) return undefined;
  [left, top] = [left - (left % 2), top - (top % 2)];
  return { left, top, width: right + 1 - left, height: bottom + 1 - top };
}

export class PictureStudio {
  readonly #page: Page;
  /** The pixels of a picture for each pixel of CSS. */
  readonly pixels: number;

  private constructor(page: Page, pixels: number) {
    this.#page = page;
    this.pixels = pixels;
  }

  static async open(browser: Browser, pixels: number): Promise<PictureStudio> {
    const page = await browser.newPage({ deviceScaleFactor: pixels, viewport: { width: 1400, height: 900 } });
    return new PictureStudio(page, pixels);
  }

  /** Returns a picture (PNG) of the only element of `markup`. */
  async compose(style: string, markup: string): Promise<Buffer> {
    await this.#page.setContent(`<!doctype html><style>body { margin: 0 } ${style}</style>${markup}`);
    await this.#page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    return this.#page.locator('body > :not(style)').screenshot();
  }

  /** Returns a part of a picture (PNG), or all of it, as WebP. */
  async encode(picture: Buffer, area?: Area): Promise<Buffer> {
    return this.#draw(addressOf('png', picture), 'image/webp', area);
  }

  /** Returns a picture (WebP) as PNG. */
  async decode(picture: Buffer): Promise<Buffer> {
    return this.#draw(addressOf('webp', picture), 'image/png');
  }

  async #draw(source: string, type: string, area?: Area): Promise<Buffer> {
    const drawing = { source, type, area, quality };
    const dataUrl = await this.#page.evaluate(async ({ source, type, area, quality }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = area?.width ?? image.naturalWidth;
      canvas.height = area?.height ?? image.naturalHeight;
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('there is no canvas');
      context.drawImage(image, -(area?.left ?? 0), -(area?.top ?? 0));
      return canvas.toDataURL(type, quality);
    }, drawing);
    return Buffer.from(dataUrl.replace(/^.*?,/, ''), 'base64');
  }
}
