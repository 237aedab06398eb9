import { html, nothing, type TemplateResult } from 'lit';

// Templates that several screens use, and functions that find the elements that they render.

// Our own drawings, as strokes on a grid of 24 × 24. None is the logo of a bank or a payment system.
const paths = {
  card: 'M3 6h18v12H3zM3 10h18M7 15h3',
  phone: 'M7 2h10v20H7zM11 18h2',
  bank: 'M3 10l9-6 9 6zM5 10v8M10 10v8M14 10v8M19 10v8M3 21h18',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  done: 'M5 12.5l5 5 9-11',
  failed: 'M6 6l12 12M18 6L6 18',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 3',
  lost: 'M12 6v8M12 18v.01',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon: the text beside it has the same meaning. */
export function icon(name: IconName, kind = 'icon'): TemplateResult {
  return html`<svg class=${kind} viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}

/** The heading of a screen. It receives the focus when the screen changes. */
export const title = (text: string): TemplateResult => html`<h3 tabindex="-1">${text}</h3>`;

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
  html`<div class="note">
    ${heading && html`<strong>${heading}</strong>`}
    <p>${text}</p>
    ${more}
  </div>`;

/** A button for a secondary action. */
export const button = (text: string, onClick: (event: Event) => void, kind = '', disabled = false): TemplateResult =>
  html`<button type="button" class=${kind} ?disabled=${disabled} @click=${onClick}>${text}</button>`;

/** A screen with one message: icon, heading, text and actions. */
export const messageScreen = (
  iconName: IconName,
  iconClass: string,
  heading: string,
  text: unknown,
  content: unknown,
): TemplateResult =>
  html`<div part="outcome">${icon(iconName, `icon mark ${iconClass}`)} ${headingWithText(heading, text)}</div>
    ${content}`;
