// Measures a subject: the times until its options, its QR and its requisites are visible.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { scan } from '../e2e/scan-qr.ts';
import { qrLink } from './subject-server.ts';
import type { Profile, SubjectResult } from './results.ts';
import type { Scene, Subject } from './subjects.ts';
import { Visit, type Mark, type VisitOptions } from './throttled-visit.ts';

/** How long a page is left idle before the click. */
const idleBeforeMeasureMs = 3000;

/** The browser, server and profile of a measurement. */
export interface Bench {
  readonly browser: Browser;
  readonly url: string;
  readonly profile: Profile;
}

const qrMark = ({ qrSelector }: Subject): Mark => ({ name: 'qr', selector: qrSelector, count: 1 });
const requisitesMark: Mark = { name: 'requisites', selector: '[part~=requisite]', count: 1 };
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
  return { url: `${url}/page/${subject.id}/${scene}?visit=${visitCount}`, profile, marks };
}

/** Fails when the page has reported an error, or when its QR cannot be read. */
async function checkPage(visit: Visit, subject: Subject): Promise<void> {
  if (visit.problems.length > 0) throw new Error(`${subject.id}: ${visit.problems.join('; ')}`);
  const text = scan(await visit.page.screenshot({ scale: 'css' }));
  if (text?.toLowerCase() !== qrLink.toLowerCase())
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

/** Measures the time until the QR, or the requisites, of an invoice that already exists are visible. */
async function measureWaitingInvoice(
  bench: Bench,
  subject: Subject,
  scene: 'resume' | 'requisites',
  result: SubjectResult,
): Promise<void> {
  const mark = scene === 'resume' ? qrMark(subject) : requisitesMark;
  const visit = await Visit.open(bench.browser, createVisitOptions(bench, subject, scene, [mark]));
  const seen = await visit.waitForMark(mark.name);
  const weight = await visit.measureWeight();
  if (scene === 'resume') await checkPage(visit, subject);
  result[scene].push({ ms: seen.time - seen.navigationStart, ...visit.computeCost(seen.time), ...weight });
  await visit.close();
}

/** Measures the time from a click in the frame in which the options are seen until its request is sent. */
async function measureLive(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const visit = await Visit.open(bench.browser, {
    ...createVisitOptions(bench, subject, 'choose', [optionsMark(subject)]),
    clickAtOnce: subject.continueSelector,
  });
  const [clickTime, sentTime] = [await visit.waitForMark('click'), await visit.waitForMark('sent')];
  result.live.push({ ms: sentTime.time - clickTime.time, ...visit.computeCost(sentTime.time, clickTime.time) });
  await visit.close();
}

/** Measures a subject once in each of its scenes. */
export async function measureScenes(bench: Bench, subject: Subject, result: SubjectResult): Promise<void> {
  const { scenes } = subject;
  if (scenes.includes('choose')) await measureOptionsAndClick(bench, subject, result);
  for (const scene of ['resume', 'requisites'] as const)
    if (scenes.includes(scene)) await measureWaitingInvoice(bench, subject, scene, result);
  if (subject.id === 'pay-invoice' && scenes.includes('choose')) await measureLive(bench, subject, result);
}
