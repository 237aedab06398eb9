import { css } from './css.ts';
import { interactionStyles } from './interaction.styles.ts';
import { largeFontStyles } from './large-font.styles.ts';

/** Requisites, the outcomes, and the printed receipt. They come with the second file. */
export const paymentStyles = css`
  ${interactionStyles}

  h4 {
    font-size: 1.125em;
    font-weight: 600;
  }

  dt,
  dl small {
    color: var(--_muted);
  }

  .rule {
    margin-block-start: 0.25em;
    font-size: 0.9375em;
    text-wrap: pretty;
  }

  /* It stays at the lower edge of the window while the screen is longer. */
  .follow {
    display: contents;
    text-wrap: balance;
  }

  ol {
    padding: 0 var(--_edge) var(--_space) calc(var(--_edge) + 1.4em);
  }

  .banks {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625em;
  }

  .banks a {
    flex: 1 7.5em;
  }

  .bar {
    inset-block-end: 0;
    display: grid;
    gap: 0.5em;
    padding: 0.75em var(--_edge) 0.25em;
    border-block-start: 1px solid var(--_border);
    background: var(--_surface);
  }

  /* A low window is for the screen. */
  @media (height >= 30em) {
    .bar {
      position: sticky;
    }
  }

  /* Two lines, so that another text moves nothing; three, where the longest text needs them. */
  :where(.status) {
    display: grid;
    grid-template-columns: 0.875em 1fr;
    column-gap: 0.5em;
    min-block-size: 2.9em;
    font-size: 0.875em;
    color: var(--_muted);
  }

  :where(.status)::before {
    content: '';
    inline-size: 0.5em;
    block-size: 0.5em;
    margin: 0.45em auto 0;
    border-radius: 50%;
    background: var(--_ink);
  }

  .awaited::before {
    inline-size: 100%;
    block-size: 0.875em;
    margin: 0.3em 0 0;
    background: none;
  }

  /* As high as the main button, which each of them becomes by turns. */
  .bar button,
  [part='actions'] > [part='qr-link'] {
    --_row: 3.25em;
  }

  .tail {
    padding-inline: var(--_edge);
  }

  .tail button {
    padding-inline: 0;
    border: 0;
  }

  @container (inline-size < 20em) {
    :where(.status) {
      min-block-size: 4.35em;
    }
  }

  /* It covers no QR code that is being scanned. */
  @container (inline-size < 42em) {
    .screen:has(> .qr, .fold[open]) ~ .follow .bar {
      position: static;
    }
  }

  /* In the column of the amount, below it. */
  @container (inline-size >= 42em) {
    [part='base'] {
      grid-template-rows: auto 1fr;
    }

    [part='header']:has(~ .follow) {
      grid-row: 1;
    }

    .follow {
      display: block;
      grid-column: 1;
      background: var(--_tint);
    }

    .bar {
      inset-block: var(--_space) auto;
      padding-block: 0 var(--_space);
      border: 0;
      background: none;
    }
  }

  .tail button::before,
  summary::after {
    content: '';
    inline-size: 0.5em;
    block-size: 0.5em;
    border: solid;
    border-width: 0 0 2px;
    rotate: 45deg;
  }

  .tail button::before {
    border-inline-start-width: 2px;
  }

  [dir='rtl'] .tail button::before {
    rotate: -45deg;
  }

  dl,
  .list {
    overflow: clip;
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  .list dl {
    border-width: 0 0 1px;
    border-radius: 0;
  }

  /* The last row of the list. */
  .list > button {
    inline-size: 100%;
    outline-offset: -3px;
  }

  /* The help for an app that did not open: as high as the highest. */
  .place {
    min-block-size: 12em;
  }

  /* What is seldom needed. */
  .links {
    display: flex;
    flex-wrap: wrap;
    column-gap: 1em;
    font-size: 0.875em;
  }

  .links:empty {
    display: none;
  }

  .links .qr {
    inline-size: 100%;
    font-size: 1.15em;
  }

  dl > div {
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    padding: 0.625em 1em;
    padding-inline-end: 0.5em;
  }

  dl > div + div {
    border-block-start: 1px solid var(--_border);
  }

  dt {
    font-size: 0.875em;
  }

  dd {
    display: contents;
  }

  dt,
  dd > * {
    grid-column: 1;
  }

  [part='value'] {
    justify-self: start;
    font-size: min(1.125em, 10cqi);
    font-weight: 600;
    font-variant-numeric: tabular-nums;
    user-select: all;
  }

  [data-text]::before {
    content: attr(data-text);
    position: absolute;
    clip-path: inset(50%);
  }

  [part='value'] span:not(:last-of-type) {
    margin-inline-end: 0.3em;
  }

  /* The whole row is the target. */
  [part~='copy'] {
    grid-area: 1 / 2 / 4;
    align-self: center;
    inline-size: max(2.75em, 44px);
    font-size: min(1em, 7cqi);
  }

  [part~='copy']::after {
    content: '';
    position: absolute;
    inset: 0;
  }

  [part~='copy']:hover {
    background: none;
  }

  dl > div:has([part~='copy']:hover) {
    background: var(--_faint);
  }

  ${largeFontStyles}

  .key [part='value'] {
    font-size: min(1.25em, 10cqi);
  }

  dt .failed {
    display: block;
  }

  details {
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  summary {
    display: flex;
    align-items: center;
    --_row: 3em;
    padding-inline: 1em;
    font-weight: 600;
    list-style: none;
    cursor: pointer;
  }

  summary::-webkit-details-marker {
    display: none;
  }

  summary::after {
    margin-inline-start: auto;
    border-color: var(--_muted);
    border-width: 0 2px 2px 0;
    translate: 0 -0.15em;
  }

  [open] > summary::after {
    rotate: 225deg;
    translate: 0 0.15em;
  }

  .fold .qr {
    padding: 0 0.75em 0.75em;
  }

  details .list {
    border-width: 1px 0 0;
    border-radius: 0;
  }

  /* A system that exchanges light and dark leaves images as they are, and no canvas: no scanner would read the code. */
  @media (inverted-colors) {
    .paper {
      filter: invert();
    }
  }

  @media print {
    :host {
      color-scheme: light !important;
      --_text: #000;
      --_muted: #000;
      --_success: #000;
      --_border: #888;
      --_surface: #fff;
      --_tint: #fff;
    }

    [part='base'] {
      display: block;
      border: 0;
    }

    .screen [part='outcome'] {
      justify-items: start;
      text-align: start;
    }

    button,
    .mark,
    .tail,
    .time,
    progress,
    .status,
    [part='actions'],
    [part='footer'] {
      display: none !important;
    }
  }
`;
