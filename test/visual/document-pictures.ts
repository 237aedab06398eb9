// The pictures of the documents, in docs/pictures, taken of the widget that ships. A picture in docs/theming.md is taken with
// the style sheet that stands above it.
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage, type Device } from './gallery-page.ts';
import { phoneMarkup, sceneMarkup, sceneStyle, windowMarkup } from './picture-scenes.ts';
import { imageOf, PictureStudio } from './picture-studio.ts';
import { animatePurchase, purchasePage } from './purchase-animation.ts';

/** A widget of a picture: a state of the gallery, in a theme. With a style, the picture is as high as the page. */
interface Shot {
  readonly state: string;
  readonly theme: 'light' | 'dark';
  readonly css?: string;
}

/** What all pictures are made with. */
interface Tools {
  readonly browser: Browser;
  readonly url: string;
}

/** Pixels for each pixel of CSS in README's picture, which is shown at about a third of its size. */
const pixels = 2;
/** The same in its animation, which has many pictures. */
const animationPixels = 1;

/** Takes all pictures, by their names. Each is a file (WebP). */
export async function takeDocumentPictures(): Promise<ReadonlyMap<string, Buffer>> {
  const server = await serveGalleryPage();
  const tools: Tools = { browser: await launchChromium(), url: server.url };
  const pictures = new Map([
    ['checkout', await takeDevices(tools)],
    ['purchase', await takePurchase(tools)],
  ]);
  const studio = await PictureStudio.open(tools.browser, 1);
  for (const [name, css] of readThemingPictures(await readFile('docs/theming.md', 'utf8')))
    pictures.set(name, await takeThemes(tools, studio, css));
  await tools.browser.close();
  await server.close();
  return pictures;
}

/** Reads the pictures of docs/theming.md with their names. A picture without a style sheet above it has the default appearance. */
function readThemingPictures(document: string): readonly (readonly [string, string])[] {
  const pictureMatches = document.matchAll(/(?:```css\n([^`]*)```\n\n)?!\[[^\]]*\]\(pictures\/([\w-]+)\.webp\)/g);
  return [...pictureMatches].map(([, css = '', name = '']) => [name, css]);
}

/** One invoice on a desktop, with its QR code, and on a phone, with the link to the bank's app. */
async function takeDevices(tools: Tools): Promise<Buffer> {
  const desktop = { width: 800, height: 564, isTouch: false, pixels };
  const phone = { width: 340, height: 600, isTouch: true, pixels };
  const markup =
    windowMarkup(
      await takeShot(tools, desktop, { state: 'qr', theme: 'light' }),
      { left: 36, top: 54 },
      desktop.width,
    ) + phoneMarkup(await takeShot(tools, phone, { state: 'qr', theme: 'light' }), { left: 868, top: 32 }, phone.width);
  const studio = await PictureStudio.open(tools.browser, pixels);
  return studio.encode(await studio.compose(sceneStyle, sceneMarkup(1260, 706, markup)));
}

async function takePurchase({ browser, url }: Tools): Promise<Buffer> {
  const gallery = await GalleryPage.open(browser, url, { ...purchasePage, isTouch: false, pixels: animationPixels });
  const picture = await animatePurchase(gallery, await PictureStudio.open(browser, animationPixels));
  await gallery.close();
  return picture;
}

/** The payment methods in light and in dark beside each other. */
async function takeThemes(tools: Tools, studio: PictureStudio, css: string): Promise<Buffer> {
  const device = { width: 380, height: 100, isTouch: false };
  const takeTheme = (theme: Shot['theme']): Promise<Buffer> =>
    takeShot(tools, device, {
      state: 'options',
      theme,
      css: `body { margin: 20px; background: light-dark(#f2f4f7, #0e1014) !important } ${css}`,
    });
  const shots = [await takeTheme('light'), await takeTheme('dark')];
  const images = shots.map((shot) => imageOf(shot, device.width)).join('');
  return studio.encode(await studio.compose('div { display: flex; inline-size: max-content }', `<div>${images}</div>`));
}

async function takeShot({ browser, url }: Tools, device: Device, { state, theme, css }: Shot): Promise<Buffer> {
  const gallery = await GalleryPage.open(browser, url, device);
  const { page } = gallery;
  if (css !== undefined) await page.addStyleTag({ content: css });
  await gallery.show(state, theme, 'en', 'en');
  const text = await page.locator('pay-invoice').evaluate((widget) => widget.shadowRoot?.textContent ?? '');
  const russian = /[а-яё]+/i.exec(text);
  if (russian !== null) throw new Error(`${state} shows “${russian[0]}” in a picture of an English document`);
  const picture = await page.screenshot({ fullPage: css !== undefined, animations: 'disabled', caret: 'hide' });
  await gallery.close();
  return picture;
}
