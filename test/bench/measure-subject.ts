// Measures a subject: the times until its options and its QR are visible, the work of a waiting page, and where the main
// thread's time goes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { scan } from '../e2e/scan-qr.ts';
import { bolt11, qrLink } from './subject-server.ts';
import type { SubjectResult } from './browser-result.ts';
import type { Profile } from './profiles.ts';
import type { Scene, Subject } from './subjects.ts';
import { Visit, type Mark, type VisitOptions } from './throttled-visit.ts';
import { computeBreakdown } from './trace-breakdown.ts';

/** How long a page is left idle before the click, and before its processor time while waiting is measured. */
export const idleBeforeMeasureMs = 3000;

/** The browser, server and profile of a measurement. */
export interface Bench {
  readonly browser: Browser;
  readonly url: string;
  readonly profile: Profile;
}

const qrMark = ({ qrSelector }: Subject): Mark => ({ name: 'qr', selector: qrSelector, count: 1 });
const optionsMark = ({ optionsSelector = '' }: Subject): Mark => ({
  name: 'options',
  selector: optionsSelector,
  count: 3,
});

let visitCount = 0;

/** Creates the settings of a visit to a page with a new checkout. */
function createVisitOptions(
  { url, profile }: Bench,
  subject: Subject,
  scene: Scene,
  marks: readonly Mark[],
): VisitOptions {
  visitCount += 1;
  const address = `${url}/page/${subject.id}/${scene === 'choose' ? 'choose' : 'resume'}?visit=${visitCount}`;
  return { url: address, profile, marks, isSecondVisit: subject.isSecondVisit };
}

/** Fails when the page has reported an error, or when its QR cannot be read. */
async function checkPage(visit: Visit, subject: Subject): Promise<void> {
  if (visit.problems.length > 0) throw new Error(`${subject.id}: ${visit.problems.join('; ')}`);
  const text = scan(await visit.page.screenshot({ scale: 'css' }));
  const expectedText = subject.id === 'bitcoin-connect' ? bolt11 : qrLink;
  if (text?.toLowerCase() !== expectedText.toLowerCase())
    throw new Error(`${subject.id}: the QR contains ${text ?? 'nothing'}`);
}

/** Measures the time until the options are visible and, when the subject has a click, from the click to the QR. */
async function measureOptionsAndClick(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const marks = [optionsMark(subject), ...(subject.hasClick ? [qrMark(subject)] : [])];
  const visit = await Visit.open(bench.browser, createVisitOptions(bench, subject, 'choose', marks));
  const optionsTime = await visit.waitForMark('options');
  const weight = await visit.measureWeight();
  result.options.push({
    ms: optionsTime.time - optionsTime.navigationStart,
    ...visit.computeCost(optionsTime.time),
    ...weight,
  });
  if (subject.hasClick) {
    await sleep(idleBeforeMeasureMs);
    const continueBox = await visit.page
      .locator(subject.continueSelector ?? 'button')
      .first()
      .boundingBox();
    if (continueBox === null) throw new Error(`${subject.id}: it has no button to click`);
    await visit.page.mouse.click(continueBox.x + continueBox.width / 2, continueBox.y + continueBox.height / 2);
    const [clickTime, qrTime] = [await visit.waitForMark('click'), await visit.waitForMark('qr')];
    await checkPage(visit, subject);
    result.click.push({ ms: qrTime.time - clickTime.time, ...visit.computeCost(qrTime.time, clickTime.time) });
  }
  await visit.close();
}

/** Measures the time until the QR of an invoice that already exists is visible. */
async function measureWaitingInvoice(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const visit = await Visit.open(bench.browser, createVisitOptions(bench, subject, 'resume', [qrMark(subject)]));
  const qrTime = await visit.waitForMark('qr');
  const weight = await visit.measureWeight();
  await checkPage(visit, subject);
  result.resume.push({ ms: qrTime.time - qrTime.navigationStart, ...visit.computeCost(qrTime.time), ...weight });
  await visit.close();
}

/** Measures a subject once in each of the scenes. */
export async function measureScenes(
  bench: Bench,
  subject: Subject,
  scenes: readonly Scene[],
  result: SubjectResult,
): Promise<void> {
  if (scenes.includes('choose')) await measureOptionsAndClick(bench, subject, result);
  if (scenes.includes('resume')) await measureWaitingInvoice(bench, subject, result);
}

/** Measures the processor time and the style recalculations of a page that waits for the payment. */
export async function measureWaiting(
  bench: Bench,
  subject: Subject,
  result: SubjectResult,
  seconds: number,
): Promise<void> {
  const visit = await Visit.open(bench.browser, createVisitOptions(bench, subject, 'wait', [qrMark(subject)]));
  await visit.waitForMark('qr');
  await sleep(idleBeforeMeasureMs);
  const { taskMs, recalculations } = await visit.measureIdleSpan(seconds * 1000);
  result.waiting.push({ taskMs: (taskMs / seconds) * 60, recalculations });
  await visit.close();
}

const traceCategories = ['devtools.timeline', 'v8', 'disabled-by-default-v8.compile', 'blink.user_timing', 'toplevel'];

/** Traces a separate visit, because a trace makes a visit slower. The times of the visit are not recorded. */
export async function traceVisit(
  bench: Bench,
  subject: Subject,
  scene: 'choose' | 'resume',
  result: SubjectResult,
): Promise<void> {
  const { browser } = bench;
  const mark = scene === 'choose' ? optionsMark(subject) : qrMark(subject);
  const visit = await Visit.open(browser, {
    ...createVisitOptions(bench, subject, scene, [mark]),
    onReady: (page) => browser.startTracing(page, { categories: traceCategories }),
  });
  await visit.waitForMark(mark.name);
  const breakdown = computeBreakdown((await browser.stopTracing()).toString());
  result.traces[scene === 'choose' ? 'options' : 'resume'] = breakdown;
  await visit.close();
}
