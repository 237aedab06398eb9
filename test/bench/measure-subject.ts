// What is measured of a subject: its pages' first pictures, the click, and a minute of waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { scan } from '../e2e/scan-qr.ts';
import type { SubjectResult } from './browser-result.ts';
import { bolt11, link } from './bench-server.ts';
import type { Subject } from './subjects.ts';
import { Visit, type Mark } from './throttled-visit.ts';

/** How long a page is left idle before the click, and before its processor time while waiting is measured. */
export const idleBeforeMeasureMs = 3000;

const qrMark = ({ qr }: Subject): Mark => ({ name: 'qr', selector: qr, count: 1 });

/** A page that complained, or a QR that no scanner reads, is not what was to be measured. */
async function check(visit: Visit, subject: Subject): Promise<void> {
  if (visit.complaints.length > 0) throw new Error(`${subject.id}: ${visit.complaints.join('; ')}`);
  const text = scan(await visit.page.screenshot({ scale: 'css' }));
  const wanted = subject.id === 'bitcoin-connect' ? bolt11 : link;
  if (text?.toLowerCase() !== wanted.toLowerCase()) throw new Error(`${subject.id}: the QR says ${text ?? 'nothing'}`);
}

/** Methods on the screen, then, after a while, a click, and the QR. */
async function choose(browser: Browser, url: string, subject: Subject, result: SubjectResult): Promise<void> {
  const { options = '', proceed = '' } = subject;
  const visit = await Visit.open(browser, url, [{ name: 'options', selector: options, count: 3 }, qrMark(subject)]);
  const seen = await visit.when('options');
  const weight = await visit.weigh();
  await sleep(idleBeforeMeasureMs);
  const box = await visit.page.locator(proceed).first().boundingBox();
  if (box === null) throw new Error(`${subject.id}: nothing to click`);
  await visit.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const [clicked, shown] = [await visit.when('click'), await visit.when('qr')];
  await check(visit, subject);
  result.options.push({ ms: seen.time - seen.origin, ...visit.costUntil(seen.time), ...weight });
  result.click.push({ ms: shown.time - clicked.time, ...visit.costUntil(shown.time, clicked.time) });
  await visit.close();
}

/** The QR of an invoice that waits already. */
async function resume(browser: Browser, url: string, subject: Subject, result: SubjectResult): Promise<void> {
  const visit = await Visit.open(browser, url, [qrMark(subject)]);
  const shown = await visit.when('qr');
  const weight = await visit.weigh();
  await check(visit, subject);
  result.resume.push({ ms: shown.time - shown.origin, ...visit.costUntil(shown.time), ...weight });
  await visit.close();
}

/** One turn of a subject. */
export async function takeTurn(browser: Browser, url: string, subject: Subject, result: SubjectResult): Promise<void> {
  const { id, scenes } = subject;
  if (scenes.includes('choose')) await choose(browser, `${url}/page/${id}/choose`, subject, result);
  if (scenes.includes('resume')) await resume(browser, `${url}/page/${id}/resume`, subject, result);
}

/** The processor time of the tasks of a page that waits. */
export async function wait(
  browser: Browser,
  url: string,
  subject: Subject,
  result: SubjectResult,
  seconds: number,
): Promise<void> {
  const visit = await Visit.open(browser, `${url}/page/${subject.id}/resume`, [qrMark(subject)]);
  await visit.when('qr');
  await sleep(idleBeforeMeasureMs);
  result.waiting.push(((await visit.taskTime(seconds * 1000)) / seconds) * 60);
  await visit.close();
}
