import { html, nothing, type TemplateResult } from 'lit';
import type { FirstFileTranslator } from '../../i18n.ts';

/** The remaining and the total time of an invoice, in milliseconds. */
export interface TimeLeft {
  readonly remainingMs: number | undefined;
  readonly totalMs: number | undefined;
}

/** The shortest time between two changes of the progress bar, in ms. Each change makes the browser recalculate styles. */
const barMs = 15_000;
/** The progress bar has at most this many steps. */
const barSteps = 200;
/** The remaining time from which the time is shown as a warning, in ms. */
const hurryMs = 180_000;

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
          <span id="left" aria-hidden="true">${t.m('header.time-left')}</span>
          <span part="timer" role="timer" aria-labelledby="left">${t.timeLeft(time.remainingMs)}</span>
        </div>
        <progress part="progress" value=${shareLeft(time)} aria-hidden="true"></progress>`;

/**
 * Updates the displayed time each second without rendering the widget. Only a text node changes, for which a browser
 * recalculates no styles.
 */
export function showTime(root: ParentNode, time: TimeLeft, t: FirstFileTranslator): void {
  const bar = root.querySelector('progress');
  const timer = root.querySelector('[part=timer]');
  // Lit renders a marker node before the text.
  const text = timer?.firstChild?.nextSibling;
  if (!text || !bar || time.remainingMs === undefined) return;
  text.nodeValue = t.timeLeft(time.remainingMs);
  const share = shareLeft(time);
  if (bar.value !== share) bar.value = share;
  timer.parentElement?.classList.toggle('hurry', time.remainingMs <= hurryMs);
}
