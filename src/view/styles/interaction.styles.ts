import { css } from './css.ts';

/** What the first paint does not need: notes, pointers, selection, motion, forced colours, and screens with one message. */
export const interactionStyles = css`
  .note {
    display: grid;
    gap: 0.5em;
    justify-items: start;
    padding: 0.875em 1em;
    border: 1px solid;
    border-color: color-mix(in srgb, var(--_tone) 30%, var(--_surface));
    border-radius: var(--_inner);
    background: color-mix(in srgb, var(--_tone) 7%, var(--_surface));
    --_tone: var(--_ink);
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

  [part='qr'] path {
    fill: #000;
  }

  .note button {
    background: var(--_surface);
  }

  button:hover,
  a:hover {
    background: var(--_tint);
  }

  .main:not(:disabled):hover {
    background: var(--_accent);
    filter: brightness(0.93);
  }

  button:active,
  a:active {
    filter: brightness(0.85);
  }

  .quiet {
    border-color: transparent;
    color: var(--_ink);
  }

  [tabindex='-1'] {
    scroll-margin-block-start: 1.5em;
  }

  [tabindex='-1']:focus-visible {
    outline: 0;
  }

  /* Until then the radio button has its own outline, also in Firefox before 121, which has no :has(). */
  [part='method']:has(:focus) input {
    outline: 0;
  }

  /* WebKit has no :focus-visible after an arrow key. */
  [part='method']:focus-within:has(:focus-visible),
  [part='method']:has(:focus:checked) {
    outline: 3px solid var(--_ink);
    outline-offset: 2px;
  }

  ::selection {
    background: var(--_accent);
    color: var(--_accent-text);
  }

  .note > :is(button, a) {
    justify-self: stretch;
  }

  [part~='error'] {
    --_tone: var(--_danger);
  }

  /* A screen with one message. */
  [part='outcome'] {
    display: grid;
    gap: 0.5em;
    justify-items: center;
    padding-block: var(--_space) 0;
    text-align: center;
  }

  .mark {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: 4em;
    block-size: 4em;
    border-radius: 50%;
    background: var(--_tint);
    background: color-mix(in srgb, currentcolor 12%, transparent);
  }

  .mark > * {
    inline-size: 2em;
    block-size: 2em;
    stroke-width: 2;
  }

  .current {
    color: var(--_ink);
  }

  #amount-note.failed::before {
    content: '!' / '';
    flex: none;
    inline-size: 1.25em;
    border: 1.5px solid;
    border-radius: 50%;
    font-weight: 700;
    line-height: 1.1;
    text-align: center;
  }

  .failed {
    color: var(--_danger);
  }

  @media (forced-colors: active) {
    .main,
    .note,
    .quiet,
    .skeleton,
    [part='base'] {
      border: 1px solid;
    }

    .main:disabled {
      color: GrayText;
    }

    [part='progress'] {
      border-block-start: 1px solid;
      --_ink: CanvasText;
    }
  }
  .troubled,
  .hurry [part='timer'] {
    color: var(--_warning);
  }

  .troubled::before {
    background: var(--_warning);
  }

  .input:has([aria-invalid='true']) {
    border-color: var(--_danger);
  }

  [part='outcome'] h3 {
    font-size: 1.5em;
  }

  [part='outcome'] p {
    max-inline-size: 26em;
  }

  .spinner {
    inline-size: 1em;
    block-size: 1em;
  }

  .spinner,
  .awaited::before {
    border: 2px solid;
    border-block-start-color: transparent;
    border-radius: 50%;
  }

  /* The result of a check of the payment has its place before there is one. */
  .checked {
    min-block-size: 1.45em;
    font-size: 0.875em;
    text-align: center;
  }

  button + .checked {
    min-block-size: 2.9em;
  }

  .done,
  .paid,
  .copied [part~='copy'] {
    color: var(--_success);
  }

  @media (prefers-reduced-motion: no-preference) {
    .skeleton {
      animation: pulse 1.4s ease-in-out infinite alternate;
    }

    .spinner,
    .awaited::before {
      animation: turn 0.9s linear infinite;
    }

    /* The tick is drawn, once, and a ring goes out from it. */
    .mark.paid path {
      stroke-dasharray: 22;
      animation: tick 400ms ease-out;
    }

    .mark.paid::after {
      content: '';
      position: absolute;
      inset: 0;
      border: 2px solid;
      border-radius: 50%;
      opacity: 0;
      animation: ring 800ms ease-out;
    }

    @keyframes pulse {
      to {
        opacity: 0.4;
      }
    }

    @keyframes turn {
      to {
        transform: rotate(1turn);
      }
    }

    @keyframes tick {
      from {
        stroke-dashoffset: 22;
      }
    }

    @keyframes ring {
      from {
        opacity: 0.5;
      }

      to {
        transform: scale(1.4);
      }
    }
  }
`;
