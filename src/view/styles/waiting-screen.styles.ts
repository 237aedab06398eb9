import { css } from './css.ts';

/** The QR, the links and the time left of a waiting invoice. */
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
    color: #000;
  }

  /* What is true only beside a QR that is drawn: it keeps its place until then. */
  .pending {
    visibility: hidden;
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
`;
