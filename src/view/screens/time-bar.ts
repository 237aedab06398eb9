import { html, nothing, type TemplateResult } from 'lit';
import type { FirstFileTranslator } from '../../i18n.ts';
import type { TimeLeft } from './screen-props.ts';

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

/** The bar at the lower edge of the header; nothing where the time left is not known. */
export const timeBar = (time: TimeLeft): TemplateResult | typeof nothing =>
  time.remainingMs === undefined
    ? nothing
    : html`<progress part="progress" value=${shareLeft(time)} aria-hidden="true"></progress>`;

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
