import { css } from 'lit';

/** The QR, the links, the status and the time left of a waiting invoice. */
export const waitingStyles = css`
  .qr {
    gap: 0.75em;
    justify-items: center;
    text-align: center;
  }

  .paper {
    display: grid;
    place-items: center;
    inline-size: 343px;
    aspect-ratio: 1;
    box-shadow: 0 0 0 1px var(--_border);
  }

  .paper,
  [part='qr'] {
    max-inline-size: 100%;
    block-size: auto;
    border-radius: var(--_inner);
    background: #fff;
    color-scheme: only light;
    forced-color-adjust: none;
    image-rendering: pixelated;
  }

  [part='qr'] path {
    fill: #000;
  }

  .qr p {
    font-size: 0.875em;
  }

  [part='actions'] {
    display: grid;
    gap: 0.625em;
  }

  [part='timer'] {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
    color: var(--_text);
  }

  [part='progress'] {
    position: absolute;
    inset: auto 0 0;
    appearance: none;
    inline-size: 100%;
    block-size: 3px;
    border: 0;
    color: var(--_ink);
    background: var(--_border);
  }

  ::-webkit-progress-bar {
    background: var(--_border);
  }

  ::-webkit-progress-value {
    background: var(--_ink);
  }

  ::-moz-progress-bar {
    background: var(--_ink);
  }
`;
