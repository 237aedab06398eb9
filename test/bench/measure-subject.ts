// Measures a subject: the time to its first screens, the click, a minute of waiting, and the main thread's time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { scan } from '../e2e/scan-qr.ts';
import { bolt11, link } from './subject-server.ts';
import type { SubjectResult } from './browser-result.ts';
import type { Profile } from './profiles.ts';
import type { Scene, Subject } from './subjects.ts';
import { Visit, type Mark, type VisitOptions } from './throttled-visit.ts';
import { breakdownOf } from './trace-breakdown.ts';

/** How long a page is left idle before the click, and before its processor time while waiting is measured. */
export const idleBeforeMeasureMs = 3000;

/** The browser, server and profile of a measurement. */
export interface Bench {
  readonly browser: Browser;
  readonly url: string;
  readonly profile: Profile;
}

const qrMark = ({ qr }: Subject): Mark => ({ name: 'qr', selector: qr, count: 1 });
const optionsMark = ({ options = '' }: Subject): Mark => ({ name: 'options', selector: options, count: 3 });

let visits = 0;

/** The options of a visit with a new checkout. */
function visitTo({ url, profile }: Bench, subject: Subject, scene: Scene, marks: readonly Mark[]): VisitOptions {
  visits += 1;
  const address = `${url}/page/${subject.id}/${scene === 'choose' ? 'choose' : 'resume'}?visit=${visits}`;
  return { url: address, profile, marks, isSecond: subject.isSecondVisit };
}

/** Fails where the page reported an error, or where its QR cannot be read. */
async function check(visit: Visit, subject: Subject): Promise<void> {
  if (visit.complaints.length > 0) throw new Error(`${subject.id}: ${visit.complaints.join('; ')}`);
  const text = scan(await visit.page.screenshot({ scale: 'css' }));
  const wanted = subject.id === 'bitcoin-connect' ? bolt11 : link;
  if (text?.toLowerCase() !== wanted.toLowerCase())
    throw new Error(`${subject.id}: the QR contains ${text ?? 'nothing'}`);
}

/** Options on the screen, then, after a while, a click, and the QR. */
async function choose(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const marks = [optionsMark(subject), ...(subject.clicks ? [qrMark(subject)] : [])];
  const visit = await Visit.open(bench.browser, visitTo(bench, subject, 'choose', marks));
  const seen = await visit.when('options');
  const weight = await visit.weigh();
  result.options.push({ ms: seen.time - seen.origin, ...visit.costUntil(seen.time), ...weight });
  if (subject.clicks) {
    await sleep(idleBeforeMeasureMs);
    const box = await visit.page
      .locator(subject.proceed ?? 'button')
      .first()
      .boundingBox();
    if (box === null) throw new Error(`${subject.id}: nothing to click`);
    await visit.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const [clicked, shown] = [await visit.when('click'), await visit.when('qr')];
    await check(visit, subject);
    result.click.push({ ms: shown.time - clicked.time, ...visit.costUntil(shown.time, clicked.time) });
  }
  await visit.close();
}

/** The QR of an invoice that waits already. */
async function resume(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const visit = await Visit.open(bench.browser, visitTo(bench, subject, 'resume', [qrMark(subject)]));
  const shown = await visit.when('qr');
  const weight = await visit.weigh();
  await check(visit, subject);
  result.resume.push({ ms: shown.time - shown.origin, ...visit.costUntil(shown.time), ...weight });
  await visit.close();
}

/** Measures a subject once in each of the scenes. */
export async function measureScenes(
  bench: Bench,
  subject: Subject,
  scenes: readonly Scene[],
  result: SubjectResult,
): Promise<void> {
  if (scenes.includes('choose')) await choose(bench, subject, result);
  if (scenes.includes('resume')) await resume(bench, subject, result);
}

/** The processor time and the style recalculations of a page that waits. */
export async function wait(bench: Bench, subject: Subject, result: SubjectResult, seconds: number): Promise<void> {
  const visit = await Visit.open(bench.browser, visitTo(bench, subject, 'wait', [qrMark(subject)]));
  await visit.when('qr');
  await sleep(idleBeforeMeasureMs);
  const { taskMs, recalculations } = await visit.idle(seconds * 1000);
  result.waiting.push({ taskMs: (taskMs / seconds) * 60, recalculations });
  await visit.close();
}

const traceCategories = ['devtools.timeline', 'v8', 'disabled-by-default-v8.compile', 'blink.user_timing', 'toplevel'];

/** A visit under a trace. It is slower than the others, and is not counted among them. */
export async function trace(
  bench: Bench,
  subject: Subject,
  scene: 'choose' | 'resume',
  result: SubjectResult,
): Promise<void> {
  const { browser } = bench;
  const mark = scene === 'choose' ? optionsMark(subject) : qrMark(subject);
  const visit = await Visit.open(browser, {
    ...visitTo(bench, subject, scene, [mark]),
    onReady: (page) => browser.startTracing(page, { categories: traceCategories }),
  });
  await visit.when(mark.name);
  const breakdown = breakdownOf((await browser.stopTracing()).toString());
  result.traces[scene === 'choose' ? 'options' : 'resume'] = breakdown;
  await visit.close();
}
