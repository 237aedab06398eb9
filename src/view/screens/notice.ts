import { html, nothing, type TemplateResult } from 'lit';
import { icon, type IconName } from '../icon.ts';

/** The heading of a screen; focus comes here when the screen does. */
export const title = (text: string): TemplateResult => html`<h3 tabindex="-1">${text}</h3>`;

/** What a screen is about: its heading and a text. */
export const lead = (heading: string, text: unknown): TemplateResult =>
  html`${title(heading)}
    <p class="muted">${text}</p>`;

/** What went wrong. */
export const problem = (text: string): TemplateResult => html`<p part="error" class="note">${text}</p>`;

/** A note inside a screen. */
export const note = (heading: string, text: string, more: unknown = nothing): TemplateResult =>
  html`<div class="note">
    ${heading && html`<strong>${heading}</strong>`}
    <p>${text}</p>
    ${more}
  </div>`;

/** A button that does something besides the main one. */
export const button = (text: string, onClick: (event: Event) => void, kind = '', disabled = false): TemplateResult =>
  html`<button type="button" class=${kind} ?disabled=${disabled} @click=${onClick}>${text}</button>`;

/** A screen that is one statement: its mark, heading, text, and what can be done. */
export const statement = (
  mark: IconName,
  kind: string,
  heading: string,
  text: unknown,
  more: unknown,
): TemplateResult =>
  html`<div part="outcome">${icon(mark, `icon mark ${kind}`)} ${lead(heading, text)}</div>
    ${more}`;
