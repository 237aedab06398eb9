import { css } from 'lit';

/** A screen with one message: icon, heading, text and actions. */
export const outcomeStyles = css`
  [part='outcome'] h3 {
    font-size: 1.5em;
  }

  [part='outcome'] p {
    max-inline-size: 26em;
  }

  span.mark {
    display: grid;
    place-items: center;
    color: var(--_accent);
  }

  .spinner {
    inline-size: 1rem;
    block-size: 1rem;
    border: 2px solid;
    border-block-start-color: transparent;
    border-radius: 50%;
  }

  .mark .spinner,
  .mark .icon {
    inline-size: 2rem;
    block-size: 2rem;
  }

  /* The result of a check of the payment has its place before there is one. */
  .checked {
    min-block-size: 1.45em;
    font-size: 0.875em;
    text-align: center;
  }

  .done,
  .paid,
  .copied [part~='copy'] {
    color: var(--_success);
  }

  @media (prefers-reduced-motion: no-preference) {
    .spinner {
      animation: turn 0.9s linear infinite;
    }

    [part='outcome'] {
      animation: appear 150ms;
    }

    .mark.paid path {
      transform-origin: center;
      animation: tick 300ms ease-out;
    }

    @keyframes turn {
      to {
        transform: rotate(1turn);
      }
    }

    @keyframes appear {
      from {
        opacity: 0.2;
      }
    }

    @keyframes tick {
      from {
        opacity: 0;
        transform: scale(0.5);
      }
    }
  }
`;
