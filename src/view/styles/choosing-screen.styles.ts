import { css } from './css.ts';

/** The methods, their banks, and the field for an amount. */
export const choosingStyles = css`
  [part='methods'] {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.625em;
  }

  [part='method'] {
    display: flex;
    align-items: center;
    gap: min(0.875em, 4cqi);
    --_row: 4em;
    padding: 0.625em min(0.9375em, 5cqi);
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
    cursor: pointer;
  }

  [part='method'] > span {
    flex: 1;
    min-inline-size: 0;
  }

  .chosen {
    border-color: var(--_ink);
    background: var(--_tint);
    box-shadow: inset 0 0 0 1px var(--_ink);
  }

  .off {
    --_row: 3.25em;
    border-color: transparent;
    background: var(--_faint);
    color: var(--_muted);
    cursor: default;
  }

  .off > span {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    column-gap: 0.5em;
  }

  slot[name^='method-']::slotted(*) {
    flex: none;
    max-inline-size: 3.5em;
    block-size: 1.5em;
  }

  [type='radio'] {
    appearance: none;
    flex: none;
    font-size: inherit;
    inline-size: 1.25em;
    block-size: 1.25em;
    border: 2px solid var(--_line);
    border-radius: 50%;
    cursor: inherit;
  }

  [type='radio']:checked {
    border: 6px solid var(--_ink);
  }

  [type='radio']:disabled {
    border-color: var(--_border);
  }

  label b {
    font-weight: 600;
  }

  .off b {
    font-size: 0.875em;
    font-weight: 400;
  }

  .off slot {
    display: none;
  }

  small {
    font-size: 0.875em;
  }

  [part='banks'] {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em;
  }

  [part='banks'] bdi {
    padding-inline: 0.5em;
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  .field {
    gap: 0.375em;
  }

  .field label {
    font-weight: 600;
  }

  .field small {
    display: flex;
    align-items: center;
    gap: 0.375em;
    min-block-size: 1.45em;
  }

  .input {
    display: flex;
    align-items: center;
    gap: 0.75em;
    padding-inline: 1.125em;
    border: 1px solid var(--_line);
    border-radius: var(--_inner);
  }

  .input::after {
    content: attr(data-unit);
    font-size: 1.5em;
    color: var(--_muted);
  }

  .input input {
    inline-size: 100%;
    --_row: 2.17em;
    border: 0;
    outline: 0;
    background: var(--_surface);
    color: inherit;
    font: inherit;
    font-size: 1.5em;
  }
`;
