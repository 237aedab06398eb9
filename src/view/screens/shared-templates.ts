import { html, nothing, type TemplateResult } from 'lit';
import type { FirstFileTranslator } from '../../i18n.ts';
import { isForeign } from './method-texts.ts';

// Templates that several screens use, and functions that find the elements that they render.

/**
 * A decorative icon: the text beside it has the same meaning. `path` is our own drawing, as strokes on a grid of 24 × 24; none
 * is the logo of a bank or a payment system.
 */
export function icon(path: string, kind = 'icon'): TemplateResult {
  return html`<svg class=${kind} viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}

/** A text of the shop or of the service, isolated, with its language where that is not the language of the screen. */
export const foreignText = (text: string, t: FirstFileTranslator): TemplateResult =>
  html`<bdi lang=${isForeign(text, t) ? 'ru' : nothing}>${text}</bdi>`;

/** The heading of a screen. It receives the focus when the screen changes. */
export const title = (text: string): TemplateResult => html`<h3 part="title" tabindex="-1">${text}</h3>`;

/** What receives the focus when the screen has changed: a note that the payer has to read first, or the `title`. */
export const findTitle = (root: ParentNode | null): HTMLElement | null | undefined =>
  root?.querySelector<HTMLElement>('.screen [tabindex="-1"]');

/** The first control of the rendered screen, or its heading where there is none. */
export const findFirstControl = (root: ParentNode | null): HTMLElement | null | undefined =>
  root?.querySelector<HTMLElement>('[inputmode], :checked, summary, button:enabled, a[href]') ?? findTitle(root);

/** A note inside a screen. Its heading can receive the focus. */
export const note = (heading: string, text: string, more: unknown = nothing): TemplateResult =>
  html`<div part="note" class="note">
    <strong tabindex="-1">${heading}</strong>
    <p>${text}</p>
    ${more}
  </div>`;

/** A button. Each one but the main button of a screen has the part `button`. */
export const button = (text: unknown, onClick: (event: Event) => void, kind = ''): TemplateResult =>
  html`<button type="button" part=${kind === 'main' ? nothing : 'button'} class=${kind} @click=${onClick}>
    ${text}
  </button>`;
