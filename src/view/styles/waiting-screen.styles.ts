import { css } from 'lit';

/** The QR, the links and the time left of a waiting invoice, and the order beside it. */
export const waitingStyles = css`
  .time,
  .wait {
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

  [part='actions'] {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5em;
  }

  [part='actions'] > * {
    flex: 1 1 18em;
  }

  [part='actions'] .main,
  [part='actions'] .note {
    flex-basis: 100%;
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
`;
