import { css } from 'lit';

/** The methods, their banks, and the field for an amount. */
export const choosingStyles = css`
  [part='methods'] {
    display: grid;
    gap: 0.625em;
  }

  [part='method'] {
    border: 1px solid var(--_border);
    border-radius: var(--_inner);
  }

  [part='method']:has(:checked) {
    border-color: var(--_accent);
    background: var(--_tint);
    box-shadow: inset 0 0 0 1px var(--_accent);
  }

  [part='method']:has(:focus-visible) {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }

  /* Firefox before 121 has no :has(): there the radio shows its own outline. */
  [part='method']:has(:focus-visible) input {
    outline: 0;
  }

  [part='method']:has(:disabled) {
    border-style: dashed;
    color: var(--_muted);
  }

  label {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    align-items: center;
    column-gap: min(0.875rem, 5cqi);
    padding: 0.75em min(1rem, 5cqi);
    min-block-size: 3.75rem;
    cursor: pointer;
  }

  [type='radio'] {
    inline-size: 1.25rem;
    block-size: 1.25rem;
    accent-color: var(--_accent);
    cursor: inherit;
  }

  label b {
    font-weight: 600;
  }

  small {
    font-size: 0.875em;
  }

  label small {
    display: block;
  }

  label .icon {
    color: var(--_muted);
  }

  [part='banks'] {
    padding: 0 1rem 0.75rem;
    font-size: 0.875em;
  }

  summary {
    padding-block: 0.25em;
    cursor: pointer;
  }

  .field {
    display: grid;
    gap: 0.375em;
  }

  .field label {
    display: contents;
    font-weight: 600;
  }

  .field input {
    inline-size: 100%;
    min-block-size: 3.25rem;
    padding: 0.5em 0.75em;
    border: 1px solid var(--_muted);
    border-radius: var(--_inner);
    background: none;
    color: inherit;
    font: inherit;
    font-size: 1.5em;
    font-variant-numeric: tabular-nums;
  }

  [aria-invalid='true'] {
    border-color: var(--_danger) !important;
  }
`;
