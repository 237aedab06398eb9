import { html, type TemplateResult } from 'lit';

// Drawn by hand on a grid of 24, in strokes; no bank's or payment system's mark.
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

/** A picture beside words that say the same. */
export function icon(name: IconName, kind = 'icon'): TemplateResult {
  return html`<svg class=${kind} viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
