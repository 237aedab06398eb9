import { html, nothing, type TemplateResult } from 'lit';

// Templates that several screens use, and functions that find the elements that they render.

/**
 * A decorative icon: the text beside it has the same meaning. `path` is our own drawing, as strokes on a grid of 24 × 24; none
 * is the logo of a bank or a payment system.
 */
export function icon(path: string, kind = 'icon'): TemplateResult {
  return html`<svg class=${kind} viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}

/** The heading of a screen. It receives the focus when the screen changes. */
export const title = (text: string): TemplateResult => html`<h3 part="title" tabindex="-1">${text}</h3>`;

/** The `title` of the rendered screen. */
export const findTitle = (root: ParentNode | null): HTMLElement | null | undefined => root?.querySelector('h3');

/** The first control of the rendered screen, or its heading where there is none. */
export const findFirstControl = (root: ParentNode | null): HTMLElement | null | undefined =>
  root?.querySelector<HTMLElement>('[inputmode], :checked, summary, button:enabled, a[href]') ?? findTitle(root);

/** The heading of a screen with a text below it. */
export const headingWithText = (heading: string, text: unknown): TemplateResult =>
  html`${title(heading)}
    <p class="muted">${text}</p>`;

/** An error message inside a screen. */
export const errorNote = (text: string): TemplateResult => html`<p part="error" class="note">${text}</p>`;

/** A note inside a screen. */
export const note = (heading: string, text: string, more: unknown = nothing): TemplateResult =>
  html`<div part="note" class="note">
    ${heading && html`<strong>${heading}</strong>`}
    <p>${text}</p>
    ${more}
  </div>`;

/** A button. Each one but the main button of a screen has the part `button`. */
export const button = (text: string, onClick: (event: Event) => void, kind = '', disabled = false): TemplateResult =>
  html`<button
    type="button"
    part=${kind === 'main' ? nothing : 'button'}
    class=${kind}
    ?disabled=${disabled}
    @click=${onClick}
  >
    ${text}
  </button>`;
