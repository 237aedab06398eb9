import { css } from 'lit';

/** The frame around every screen: the header, and the screen below it or, where there is room, beside it. */
export const layoutStyles = css`
  [part='base'] {
    display: grid;
    max-inline-size: 56rem;
    margin-inline: auto;
    overflow: clip;
    background: var(--_surface);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
  }

  [part='header'],
  .screen {
    display: grid;
    gap: var(--_space);
    align-content: start;
    padding: var(--_space);
    min-inline-size: 0;
    text-wrap: balance;
  }

  /* The screen has its own layer, so that the countdown in the header does not repaint the screen. */
  .screen {
    isolation: isolate;
  }

  [part='header'] {
    gap: calc(var(--_space) * 0.5);
    min-block-size: 8.5em;
    background: var(--_tint);
  }

  [part='footer'] ::slotted(*) {
    display: block;
    padding: var(--_space);
    border-block-start: 1px solid var(--_border);
  }

  .due {
    display: block;
    font-size: var(--pay-invoice-font-size, 1rem);
    font-weight: 400;
    line-height: 1.6;
    letter-spacing: 0;
  }

  [part='amount'] {
    font-size: clamp(2.25em, 12cqi, 3em);
    font-weight: 600;
    line-height: 1.15;
    letter-spacing: -0.03em;
    font-variant-numeric: tabular-nums;
  }

  [part='amount'] small {
    font-size: 0.6em;
  }

  [part='badge'] {
    justify-self: start;
    padding: 0.2em 0.7em;
    border: 1px dashed;
    border-radius: var(--_inner);
    font-size: 0.8em;
    font-weight: 600;
    color: light-dark(#7a4b00, #f2c063);
  }

  .sr {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  @container (inline-size >= 24rem) {
    [part='header'],
    .screen {
      padding: calc(var(--_space) * 1.5);
    }
  }

  @container (inline-size >= 42rem) {
    [part='base'] {
      grid-template-columns: minmax(0, 5fr) minmax(0, 7fr);
    }

    .screen {
      padding: calc(var(--_space) * 2);
    }

    /* The header is only as high as its content, so that it can stay in view beside a long screen. */
    [part='header'] {
      position: sticky;
      inset-block-start: var(--_space);
      align-self: start;
      margin: var(--_space);
      border-radius: var(--_inner);
    }

    [part='footer'] {
      grid-column: 1 / -1;
    }
  }
`;
