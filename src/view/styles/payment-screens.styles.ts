import { css } from 'lit';
import { outcomeStyles } from './outcome-screen.styles.ts';

/** Requisites, the outcomes, and the printed receipt. They come with the second file. */
export const paymentStyles = css`
  ${outcomeStyles}

  h4 {
    font-size: 1.125em;
    font-weight: 600;
  }

  dt {
    color: var(--_muted);
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

  [part~='copy'] {
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
