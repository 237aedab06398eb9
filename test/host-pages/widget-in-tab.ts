import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserTab } from '../support/firefox-and-webkit.ts';

// Expressions for the widget of a page, and what is read by them. They run in the page.

export const widget = `document.querySelector('pay-invoice')`;
export const widgetPart = (part: string): string => `${widget}?.shadowRoot?.querySelector('[part~=${part}]')`;
export const continueButton = widgetPart('continue');

/** Waits until the value of an expression is neither null, undefined nor false. */
export async function waitForValue(tab: BrowserTab, expression: string): Promise<unknown> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    const value = await tab.evaluate(`((${expression}) ?? false) !== false`);
    if (value === true) return value;
    await delay(20);
  }
  throw new Error(`waited in vain for ${expression}: ${String(await tab.evaluate('document.body.innerText'))}`);
}

/** The widget's frame in the window, in CSS pixels. */
export interface Box {
  readonly left: number;
  readonly width: number;
}

export async function readBox(tab: BrowserTab): Promise<Box> {
  const read = async (name: keyof Box): Promise<number> =>
    Number(await tab.evaluate(`${widgetPart('base')}.getBoundingClientRect().${name}`));
  return { left: await read('left'), width: await read('width') };
}
