import { css } from 'lit';

/** Requisites, the QR, and the outcomes. */
export const paying = css`
  .qr {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5em;
    justify-items: center;
    text-align: center;
  }

  .paper,
  [part='qr'] {
    display: block;
    max-inline-size: 100%;
    aspect-ratio: 1;
    border-radius: calc(var(--_inner) * 0.75);
    background: #fff;
    box-shadow: 0 0 0 1px var(--_border);
    forced-color-adjust: none;
  }

  .paper {
    inline-size: 18rem;
    background: var(--_tint);
  }

  [part='qr'] {
    block-size: auto;
  }

  [part='qr'] path {
    fill: #000;
  }

  [part='requisites'] + div {
    margin-block: calc(var(--_space) * -0.5);
  }

  .big {
    font-size: clamp(1.125em, 5cqi, 1.25em);
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
    font-size: 0.9375em;
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
    color: var(--_muted);
    background: color-mix(in srgb, currentcolor 12%, transparent);
    stroke-width: 2;
  }

  .paid {
    color: var(--_success);
  }
`;
