import { css } from 'lit';

/** Requisites, the QR, and the outcomes. */
export const payment = css`
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

  /* Its place is kept until there is something to save. */
  .qr :disabled {
    visibility: hidden;
  }

  [part='qr'] path {
    fill: #000;
  }

  [part='requisites'] + div {
    margin-block: calc(var(--_space) * -0.5);
  }

  .tail {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5em;
    padding-block-start: calc(var(--_space) * 0.75);
    border-block-start: 1px solid var(--_border);
  }

  .wait {
    display: flex;
    flex-basis: 100%;
    gap: 0.625em;
    align-items: baseline;
  }

  .wait::before {
    content: '';
    flex: none;
    inline-size: 0.5em;
    block-size: 0.5em;
    border-radius: 50%;
    background: var(--_accent);
  }

  [part='outcome'] {
    display: grid;
    gap: 0.5em;
    justify-items: center;
    text-align: center;
    padding-block: var(--_space);
  }

  [part='outcome'] h3 {
    font-size: 1.5em;
  }

  .mark {
    inline-size: 4rem;
    block-size: 4rem;
    padding: 1rem;
    border-radius: 50%;
    background: color-mix(in srgb, currentcolor 12%, transparent);
    stroke-width: 2;
  }
`;
