import { html, type TemplateResult } from 'lit';
import { foreign } from './page-parts.ts';
import type { Translator } from './texts.ts';

/** What is said of a failure. */
export type Problem = TemplateResult | string;

/** The page's own words for a failure of the admin API, or the server's. */
export function problemOf({ name, message }: Error, { text, textOr }: Translator): Problem {
  const known = textOr(name, '');
  return known === '' ? html`${text('problem')}: ${foreign(name)}. ${foreign(message)}` : known;
}

/** The line of a failure. It stays on the screen however far somebody has scrolled to the button that he has pressed. */
export const problemLine = (problem: Problem | undefined): TemplateResult =>
  html`<p class="bad" role="alert">${problem ?? ''}</p>`;

/** Brings a message that stands in the page to the screen, once. Returns what the page says now. */
export function showProblem(page: ParentNode, toldBefore: string): string {
  const line = page.querySelector('[role=alert]');
  const told = line?.textContent ?? '';
  if (told !== toldBefore) line?.scrollIntoView({ block: 'nearest' });
  return told;
}
