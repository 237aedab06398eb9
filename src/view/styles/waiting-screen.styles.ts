import { css } from 'lit';
import { outcomeStyles } from './outcome-screen.styles.ts';

/** Requisites, the QR, the time left, the outcomes, and the printed receipt. They come with the payment screens. */
export const paymentStyles = css`
  ${outcomeStyles}

  h4 {
    font-size: 1.125em;
    font-weight: 600;
  }

  .time,
  .wait,
  dt {
    color: var(--_muted);
  }

  .quiet {
    margin-inline: -1px;
    padding-inline: 0;
    border-color: transparent;
    color: var(--_accent);
  }

  .qr {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5em;
    justify-items: center;
    text-align: center;
  }

  .paper {
    display: grid;
    place-items: center;
    inline-size: 320px;
    aspect-ratio: 1;
    box-shadow: 0 0 0 1px var(--_border);
  }

  .paper,
  [part='qr'] {
    max-inline-size: 100%;
    block-size: auto;
    border-radius: var(--_inner);
    background: #fff;
    forced-color-adjust: none;
  }

  /* The hint how to save the QR. Its padding keeps it away from a border around the QR. */
  .qr button + p {
    padding: 0 1em 0.75em;
  }

  /* The button that saves the QR keeps its space, and is hidden until the QR is drawn. */
  .qr :disabled {
    visibility: hidden;
  }

  [part='qr'] path {
    fill: #000;
  }

  /* The order is shown only beside the screen. Above the screen, it would push the screen out of view. */
  .order {
    display: none;
  }

  @container (inline-size >= 42rem) {
    .order {
      display: block;
    }

    .order ::slotted(*) {
      display: block;
      margin-block-start: calc(var(--_space) * 0.5);
    }
  }

  .tail {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5em;
    padding-block-start: calc(var(--_space) * 0.75);
    border-block-start: 1px solid var(--_border);
  }

  .rule {
    font-weight: 600;
  }

  dl {
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  dl > div {
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
    font-size: 1.125em;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
    user-select: all;
  }

  [part='value'] span:not(:last-of-type) {
    margin-inline-end: 0.3em;
  }

  [part='copy'] {
    grid-area: 1 / 2 / 4;
    align-self: center;
    inline-size: 2.75rem;
  }

  .key [part='value'] {
    font-size: 1.25em;
  }

  dt .failed {
    display: block;
  }

  .screen > details {
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  .screen > details > summary {
    padding: 0.75em 1em;
    font-weight: 600;
  }

  /* A folded QR needs no border of its own, because the details element has one. */
  details .paper {
    box-shadow: none;
  }

  details dl {
    border-width: 1px 0;
    border-radius: 0;
  }

  [part='requisites'] + div {
    margin-block: calc(var(--_space) * -0.5);
  }

  details [part='requisites'] + div {
    margin: 0.25em 1em;
  }

  @container (inline-size < 24rem) {
    dt .done {
      display: none;
    }
  }

  .time {
    isolation: isolate;
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 0.5em;
    margin-block-start: calc(var(--_space) * 0.5);
  }

  [part='timer'] {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
    color: var(--_text);
  }

  [part='progress'] {
    grid-column: 1 / -1;
    appearance: none;
    inline-size: 100%;
    block-size: 0.375em;
    border: 0;
    border-radius: 9em;
    overflow: clip;
    color: var(--_accent);
    background: var(--_border);
  }

  @media (forced-colors: active) {
    [part='progress'] {
      border: 1px solid;
      --_accent: CanvasText;
    }

    .quiet {
      border-color: Canvas;
    }
  }

  ::-webkit-progress-bar {
    background: var(--_border);
  }

  ::-webkit-progress-value {
    background: var(--_accent);
    border-radius: 9em;
  }

  ::-moz-progress-bar {
    background: var(--_accent);
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
    [part='actions'],
    [part='footer'] {
      display: none !important;
    }
  }
`;
