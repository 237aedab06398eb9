// A purchase as an animation: the payment methods, a press on the button, the QR code, and the receipt.
import type { Page } from 'playwright-core';
import { writeAnimation, type AnimationFrame } from './animated-webp.ts';
import type { GalleryPage } from './gallery-page.ts';
import { cursorMarkup, sceneMarkup, sceneStyle, windowMarkup, type Place } from './picture-scenes.ts';
import { differingArea, type PictureStudio } from './picture-studio.ts';

/** The page in the window, in pixels of CSS. */
export const purchasePage = { width: 780, height: 560 };
const windowPlace: Place = { left: 30, top: 30 };
const barHeight = 34;
const sceneSize = { width: purchasePage.width + 60, height: purchasePage.height + barHeight + 60 };

/** The shares of the cursor's way to the button, one for each picture. */
const wayOfCursor = [0, 0.1, 0.35, 0.7, 0.93, 1];
/** When the tick of the receipt is shown while it is drawn, in milliseconds of the 800 that its ring takes. */
const timesOfTick = [0, 100, 200, 300, 400, 550, 700, 799];

interface Still {
  readonly scene: Buffer;
  readonly duration: number;
}

/** Returns the file (WebP) of the animation. */
export async function animatePurchase(gallery: GalleryPage, studio: PictureStudio): Promise<Buffer> {
  const { page } = gallery;
  const stills: Still[] = [];
  const take = async (duration: number, cursor = ''): Promise<void> => {
    const shot = await page.screenshot({ caret: 'hide', animations: 'allow' });
    const content = windowMarkup(shot, windowPlace, purchasePage.width) + cursor;
    const markup = sceneMarkup(sceneSize.width, sceneSize.height, content);
    stills.push({ scene: await studio.compose(sceneStyle, markup), duration });
  };

  await gallery.show('options', 'light', 'en', 'en');
  const target = await centreOfButton(page);
  const start: Place = { left: target.left + 150, top: target.top - 130 };
  for (const share of wayOfCursor) {
    if (share === 1) await page.mouse.move(target.left, target.top);
    await take(share === 0 ? 1200 : share === 1 ? 300 : 60, cursorMarkup(placeInScene(start, target, share), false));
  }
  await page.mouse.down();
  await take(150, cursorMarkup(placeInScene(start, target, 1), true));
  await page.mouse.up();
  await page.mouse.move(0, 0);
  // The first answer of the service corrects the remaining time.
  await page.clock.runFor(2000);
  for (let second = 0; second < 3; second += 1) {
    await page.clock.runFor(1000);
    await gallery.settle();
    await take(1000);
  }

  const animations = await page.context().newCDPSession(page);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await animations.send('Animation.enable');
  await animations.send('Animation.setPlaybackRate', { playbackRate: 0 });
  await gallery.show('paid', 'light', 'en', 'en');
  for (const time of timesOfTick) {
    await page.evaluate(setTimeOfAnimations, time);
    await take(time === timesOfTick.at(-1) ? 4000 : 70);
  }
  return writeAnimation({ ...pixelSize(studio), frames: await framesOf(stills, studio) });
}

function placeInScene(start: Place, end: Place, share: number): Place {
  return {
    left: windowPlace.left + start.left + (end.left - start.left) * share,
    top: windowPlace.top + barHeight + start.top + (end.top - start.top) * share,
  };
}

async function centreOfButton(page: Page): Promise<Place> {
  const box = await page.locator('pay-invoice [part=continue]').boundingBox();
  if (box === null) throw new Error('the payment methods have no button');
  return { left: Math.round(box.x + box.width / 2), top: Math.round(box.y + box.height / 2) };
}

function setTimeOfAnimations(time: number): void {
  const animations = document.querySelector('pay-invoice')?.shadowRoot?.getAnimations() ?? [];
  for (const animation of animations) animation.currentTime = time;
}

const pixelSize = ({ pixels }: PictureStudio): { readonly width: number; readonly height: number } => ({
  width: sceneSize.width * pixels,
  height: sceneSize.height * pixels,
});

/** Each frame is only what has changed since the still before. A still in which nothing has changed prolongs that one. */
async function framesOf(stills: readonly Still[], studio: PictureStudio): Promise<readonly AnimationFrame[]> {
  const frames: AnimationFrame[] = [];
  let before: Buffer | undefined;
  for (const { scene, duration } of stills) {
    const area = before === undefined ? { left: 0, top: 0, ...pixelSize(studio) } : differingArea(before, scene);
    const last = frames.at(-1);
    if (area !== undefined) frames.push({ ...area, duration, picture: await studio.encode(scene, area) });
    else if (last !== undefined) frames[frames.length - 1] = { ...last, duration: last.duration + duration };
    before = scene;
  }
  return frames;
}
