import { css } from './css.ts';

/** The frame around every screen: the header, and the screen below it or, where there is room, beside it. */
export const layoutStyles = css`
  /*
   * A container counts as empty where its parent shrinks to its content. Its width in such a parent is that of this empty track:
   * it takes no part in the layout, and the parent can still be narrower.
   */
  :host::before {
    content: '';
    display: grid;
    grid-template-columns: minmax(0, min(480px, 100vw - 64px));
  }

  .container {
    /* What a page sets for all its texts (spacing, capitals, no wrapping, italics) is not inherited. */
    all: initial;
    display: block;
    container-type: inline-size;
    min-inline-size: min(280px, 100vw - 40px);
    /* The window, or the page's own container. With vw WebKit gives a widget that is added after a rotation the width before it. */
    max-inline-size: 100cqi;
    color: var(--_text);
    color-scheme: inherit;
    font-family: inherit;
    font-size: inherit;
    line-height: 1.45;
    overflow-wrap: anywhere;
    visibility: inherit;
    pointer-events: inherit;
    -webkit-text-size-adjust: 100%;
  }

  [part='base'] {
    --_edge: min(var(--_space), 6cqi);
    max-inline-size: 60em;
    margin-inline: auto;
    overflow: clip;
    background: var(--_surface);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
  }

  [part='header'],
  .screen {
    min-inline-size: 0;
    padding: min(var(--_space), 6cqi) var(--_edge);
    text-wrap: balance;
  }

  /* The screen has its own layer, so that the countdown in the header does not repaint the screen. */
  .screen {
    isolation: isolate;
    align-content: start;
  }

  /* The progress is its lower edge. */
  [part='header'] {
    position: relative;
    padding-block-end: calc(var(--_space) * 0.75);
    background: var(--_tint);
  }

  /* A logo above it has its own place. */
  :not(.bare) > .summary {
    min-block-size: 6.5em;
  }

  /* The label is at the start of the first row, and the time at its end. */
  .time {
    float: inline-end;
    line-height: 1.6;
  }

  .due {
    display: block;
    margin-inline-end: 9.5em;
    font-weight: 400;
    line-height: 1.6;
  }

  [part='amount'] {
    font-size: 1em;
    font-weight: 600;
    line-height: 1.15;
  }

  .money {
    display: block;
    font-size: min(2.75em, 12cqi);
    letter-spacing: -0.03em;
  }

  [part='amount'] small {
    font-size: 0.6em;
  }

  small.skeleton {
    display: block;
    block-size: 1.9em;
    background: var(--_border);
  }

  .bare [part='amount'] {
    font-size: 1.25em;
  }

  [part='description'] {
    margin-block-start: 0.25em;
    font-size: 0.875em;
    -webkit-line-clamp: 2;
  }

  [part='badge'] {
    padding-inline: 0.5em;
    border: 1px dashed;
    border-radius: var(--_inner);
    font-size: 0.875em;
    color: var(--_warning);
  }

  /* These two are not in the second file, because the page would move when it comes. */
  slot[name='logo']::slotted(*) {
    display: block;
    block-size: 2em;
    margin-block-end: 0.5em;
    font-weight: 600;
  }

  [part='footer'] ::slotted(*) {
    display: block;
    padding: var(--_space);
    border-block-start: 1px solid var(--_border);
  }

  .sr {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  /* The order is shown only beside the screen. Above the screen, it would push the screen out of view. */
  .order {
    display: none;
  }

  @container (inline-size >= 24em) {
    [part='base'] {
      --_edge: calc(var(--_space) * 1.5);
    }
  }

  @container (inline-size >= 42em) {
    [part='base'] {
      --_edge: calc(var(--_space) * 2);
      display: grid;
      grid-template-columns: minmax(0, 5fr) minmax(0, 7fr);
    }

    .screen,
    [part='header'] {
      grid-row: 1 / 3;
      padding: var(--_edge);
    }

    .screen:first-child,
    [part='footer'] {
      grid-column: 1 / -1;
    }

    /* The column is as high as the screen; its content stays in view beside a long one. */
    .summary {
      position: sticky;
      inset-block-start: calc(var(--_space) * 2);
      padding-block-end: var(--_space);
    }

    [part='description'] {
      -webkit-line-clamp: 6;
      margin-block-start: 0.75em;
    }

    .order {
      display: block;
      margin-block-start: 1em;
      font-size: 0.875em;
    }

    .order ::slotted(*) {
      display: block;
      margin-block: calc(var(--_space) * 0.5) 0;
    }
  }
`;
