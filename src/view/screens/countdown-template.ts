import { html, nothing, type TemplateResult } from 'lit';
import type { FirstFileTranslator } from '../../i18n.ts';

/** The remaining and the total time of an invoice, in milliseconds. */
export interface TimeLeft {
  readonly remainingMs: number | undefined;
  readonly totalMs: number | undefined;
}

/** The shortest time between two changes of the progress bar, in ms. Each change makes the browser recalculate styles. */
const barMs = 10_000;
/** The progress bar has at most this many steps. */
const barSteps = 200;

/** The share of the time that is left, from 0 to 1, rounded up to a step of the bar. */
function shareLeft({ remainingMs = 0, totalMs = 1 }: TimeLeft): number {
  const step = Math.max(barMs, totalMs / barSteps);
  return Math.min(1, (Math.ceil(remainingMs / step) * step) / totalMs);
}

/** The time left as text and bar; nothing where it is not known. */
export const timeLeft = (time: TimeLeft, t: FirstFileTranslator): TemplateResult | typeof nothing =>
  time.remainingMs === undefined
    ? nothing
    : html`<div class="time">
        <span id="left" aria-hidden="true">${t.m.timeLeft}</span>
        <span part="timer" role="timer" aria-labelledby="left">${t.timeLeft(time.remainingMs)}</span>
        <progress part="progress" value=${shareLeft(time)} aria-hidden="true"></progress>
      </div>`;

/** A note that the payment is awaited. It is below the time, where the payer still sees it while scanning or transferring. */
export const waitingNote = ({ m }: FirstFileTranslator): TemplateResult => html`<p class="wait">${m.waiting}</p>`;

/**
 * Updates the displayed time each second without rendering the widget. Only a text node changes, for which a browser
 * recalculates no styles.
 */
export function showTime(root: ParentNode, time: TimeLeft, t: FirstFileTranslator): void {
  const [timer, bar] = [root.querySelector('[part=timer]'), root.querySelector('progress')];
  // Lit renders a marker node before the text.
  const text = timer?.firstChild?.nextSibling;
  if (!text || !bar || time.remainingMs === undefined) return;
  text.nodeValue = t.timeLeft(time.remainingMs);
  const share = shareLeft(time);
  if (bar.value !== share) bar.value = share;
}
