// Takes pictures of the gallery's states into .screens/: `npm run screens [-- part of a name …]`, such as `npm run screens paid
// dark`. The page .screens/index.html shows all of them. Fails where something is cut off, drawn over something else, too small to touch, or wider than the page.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { states } from '../demo/gallery-states.ts';
import { launchChromium } from '../test/support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from '../test/visual/gallery-page.ts';

const phones = [320, 390];
const desktops = [768, 1280];
const themes = ['light', 'dark'] as const;
const languages = ['ru', 'en', 'kk', 'ar'];
/** The states that are taken in all languages; the others only in Russian and English. */
const statesInAllLanguages = ['options', 'card', 'qr-sbp', 'paid', 'expired'];

interface Shot {
  readonly state: string;
  readonly lang: string;
  readonly theme: (typeof themes)[number];
  readonly width: number;
  readonly name: string;
}

const nameParts = process.argv.slice(2);
const shots: readonly Shot[] = Object.keys(states)
  .flatMap((state) =>
    (statesInAllLanguages.includes(state) ? languages : languages.slice(0, 2)).map((lang) => ({ state, lang })),
  )
  .flatMap((shot) => [...phones, ...desktops].map((width) => ({ ...shot, width })))
  .flatMap((shot) => themes.map((theme) => ({ ...shot, theme })))
  .map((shot) => ({ ...shot, name: `${shot.state}.${shot.lang}.${shot.theme}.${shot.width}` }))
  .filter(({ name }) => nameParts.every((part) => `.${name}.`.includes(`.${part}`)));
if (shots.length === 0) throw new RangeError(`no picture has ${nameParts.join(' ')} in its name`);

const folder = new URL('../.screens/', import.meta.url);
const fileOf = (name: string): string => new URL(`${name}.png`, folder).pathname;
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const [galleryServer, browser] = await Promise.all([serveGalleryPage(), launchChromium()]);
const defects = [...(await takePictures(true)), ...(await takePictures(false))];
await writeIndex();
await browser.close();
await galleryServer.close();

console.log(`${shots.length} pictures: .screens/index.html`);
for (const defect of defects) console.error(defect);
if (defects.length > 0) process.exitCode = 1;

/** Takes the pictures of phones, or of desktops. A state is played once for each language. */
async function takePictures(isTouch: boolean): Promise<readonly string[]> {
  const widths = isTouch ? phones : desktops;
  const gallery = await GalleryPage.open(browser, galleryServer.url, { width: widths[0] ?? 0, isTouch });
  const layoutProblems: string[] = [];
  let shownState = '';
  for (const { state, lang, theme, width, name } of shots.filter((shot) => widths.includes(shot.width))) {
    if (shownState !== `${state}.${lang}`) await gallery.show(state, theme, lang);
    shownState = `${state}.${lang}`;
    await gallery.page.setViewportSize({ width, height: 480 });
    await gallery.page.evaluate((colours) => setTheme(colours), theme);
    // Not `fullPage`: while it takes a picture that is higher than the window, the page has no touch screen.
    const height = await gallery.page.evaluate(() => document.documentElement.scrollHeight);
    await gallery.page.setViewportSize({ width, height });
    await gallery.page.screenshot({ path: fileOf(name), animations: 'disabled', caret: 'hide' });
    const stateDefects = await gallery.page.evaluate((hostile) => layoutDefects(hostile), state.startsWith('hostile'));
    layoutProblems.push(...stateDefects.map((defect) => `${name}: ${defect}`));
  }
  await gallery.close();
  return layoutProblems;
}

/** A page with all pictures, in rows of a state in a language. */
async function writeIndex(): Promise<void> {
  const rows = [...new Set(shots.map(({ state, lang }) => `${state}.${lang}`))].map((heading) => {
    const names = shots.map(({ name }) => name).filter((name) => name.startsWith(`${heading}.`));
    const images = names.map((name) => `<img loading="lazy" title="${name}" src="${name}.png">`);
    return `<h2>${heading}</h2><p>${images.join('')}</p>`;
  });
  const style =
    '<style>body { background: #888; font: 14px sans-serif } p { white-space: nowrap } img { zoom: 0.5; margin: 8px; vertical-align: top }</style>';
  await writeFile(new URL('index.html', folder), `<!doctype html><meta charset="utf-8">${style}${rows.join('\n')}`);
}
