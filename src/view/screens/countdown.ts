import { html, nothing, type TemplateResult } from 'lit';
import type { Translator } from '../../i18n.ts';

/** The remaining and the total time of an invoice, in milliseconds. */
export interface TimeLeft {
  readonly remainingMs: number | undefined;
  readonly totalMs: number | undefined;
}

/** The progress bar changes at most this often, in ms, and has at most this many steps: each change recalculates styles. */
const barMs = 10_000;
const barSteps = 200;

/** The part of the time that is left, in the steps of the bar. */
function partLeft({ remainingMs = 0, totalMs = 1 }: TimeLeft): number {
  const step = Math.max(barMs, totalMs / barSteps);
  return Math.min(1, (Math.ceil(remainingMs / step) * step) / totalMs);
}

/** The time left as text and bar, where it is known. */
export const timeLeft = (time: TimeLeft, t: Translator): TemplateResult | typeof nothing =>
  time.remainingMs === undefined
    ? nothing
    : html`<div class="time">
        <span id="left" aria-hidden="true">${t.m.timeLeft}</span>
        <span part="timer" role="timer" aria-labelledby="left">${t.timeLeft(time.remainingMs)}</span>
        <progress part="progress" value=${partLeft(time)} aria-hidden="true"></progress>
      </div>`;

/** That the payment is awaited: under the time, where it is in view while the payer scans or transfers. */
export const waitingNote = ({ m }: Translator): TemplateResult => html`<p class="wait">${m.waiting}</p>`;

/**
 * Updates the rendered time: each second, and so without rendering the widget. Only the text node changes, for which a
 * browser recalculates no styles.
 */
export function showTime(root: ParentNode, time: TimeLeft, t: Translator): void {
  const [timer, bar] = [root.querySelector('[part=timer]'), root.querySelector('progress')];
  // Lit's text stands behind its marker.
  const text = timer?.firstChild?.nextSibling;
  if (!text || !bar || time.remainingMs === undefined) return;
  text.nodeValue = t.timeLeft(time.remainingMs);
  const part = partLeft(time);
  if (bar.value !== part) bar.value = part;
}
