import { css } from 'lit';

/** A screen with one message: icon, heading, text and actions. */
export const outcomeStyles = css`
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
    background: var(--_tint);
    background: color-mix(in srgb, currentcolor 12%, transparent);
    stroke-width: 2;
  }

  /* The result of a check of the payment. */
  [part='actions'] > p {
    text-align: center;
  }

  .done,
  .paid {
    color: var(--_success);
  }
`;
