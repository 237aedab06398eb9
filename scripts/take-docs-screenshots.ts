// Takes the pictures of the documents, into docs/pictures or another folder: `npm run pictures [-- folder]`. A picture in
// docs/theming.md is taken with the style sheet that stands above it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/support/launch-chromium.ts';
import { serveBuiltWidget } from '../test/support/serve-built-widget.ts';

/** One widget of a picture: a state of the gallery, in a theme and with a style. */
interface Shot {
  readonly state: string;
  readonly theme: 'light' | 'dark';
  readonly css: string;
}

const shotsInBothThemes = (css: string): readonly Shot[] =>
  (['light', 'dark'] as const).map((theme) => ({ state: 'options', theme, css }));

/** Reads the pictures of docs/theming.md with their names. A picture without a style sheet above it has the default appearance. */
function readThemingPictures(document: string): readonly (readonly [string, readonly Shot[]])[] {
  const pictureMatches = document.matchAll(/(?:```css\n([^`]*)```\n\n)?!\[[^\]]*\]\(pictures\/([\w-]+)\.webp\)/g);
  return [...pictureMatches].map(([, css = '', name = '']) => [name, shotsInBothThemes(css)]);
}

const pictures: ReadonlyMap<string, readonly Shot[]> = new Map([
  ['checkout', ['options', 'qr', 'paid'].map((state) => ({ state, theme: 'light', css: '' }) as const)],
  ...readThemingPictures(await readFile('docs/theming.md', 'utf8')),
]);

const margin = 20;
const folder = process.argv[2] ?? 'docs/pictures';

async function takeShot(page: Page, origin: string, { state, theme, css }: Shot): Promise<string> {
  await page.goto('about:blank');
  await page.goto(`${origin}demo/gallery.html#bare&lang=en&names=en&width=340px&state=${state}&theme=${theme}`);
  if (css !== '') await page.addStyleTag({ content: css });
  await page.waitForTimeout(600);
  const russian = /[а-яё]+/i.exec(
    await page.locator('pay-invoice').evaluate((widget) => widget.shadowRoot?.textContent ?? ''),
  );
  if (russian !== null) throw new Error(`${state} shows “${russian[0]}” in a picture of an English document`);
  const box = await page.locator('pay-invoice').boundingBox();
  if (box === null) throw new Error(`${state} shows nothing`);
  const clip = {
    x: Math.max(0, box.x - margin),
    y: Math.max(0, box.y - margin),
    width: box.width + 2 * margin,
    height: box.height + 2 * margin,
  };
  return (await page.screenshot({ fullPage: true, clip })).toString('base64');
}

/** How much of the picture is kept: text stays sharp, and the package, which has the pictures, small. */
const quality = 0.6;

/** Writes one picture with the shots next to each other, as WebP, which Chromium makes of a canvas. */
async function makeSheet(browser: Browser, name: string, shots: readonly string[]): Promise<void> {
  const page = await browser.newPage();
  await page.setContent(shots.map((shot) => `<img src="data:image/png;base64,${shot}">`).join(''));
  const dataUrl = await page.evaluate((share) => {
    const images = [...document.images];
    const canvas = document.createElement('canvas');
    canvas.width = images.reduce((sum, { naturalWidth }) => sum + naturalWidth, 0);
    canvas.height = Math.max(...images.map(({ naturalHeight }) => naturalHeight));
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('there is no canvas');
    context.fillStyle = '#f2f4f7';
    context.fillRect(0, 0, canvas.width, canvas.height);
    let left = 0;
    for (const image of images) {
      context.drawImage(image, left, 0);
      left += image.naturalWidth;
    }
    return canvas.toDataURL('image/webp', share);
  }, quality);
  await writeFile(`${folder}/${name}.webp`, Buffer.from(dataUrl.replace(/^.*?,/, ''), 'base64'));
  await page.close();
}

const server = await serveBuiltWidget();
const browser = await launchChromium();
await mkdir(folder, { recursive: true });
for (const [name, shots] of pictures) {
  const page = await browser.newPage({ viewport: { width: 800, height: 900 } });
  const takenShots: string[] = [];
  for (const shot of shots) takenShots.push(await takeShot(page, server.url, shot));
  await page.close();
  await makeSheet(browser, name, takenShots);
  console.log(`${folder}/${name}.webp`);
}
await browser.close();
await server.close();
