import { css } from 'lit';

/** The methods, their banks, and the field for an amount. */
export const choosingStyles = css`
  [part='methods'] {
    display: grid;
    gap: 0.625em;
  }

  /* The grid makes the label as high as the method. Where the method has banks, they are below the label. */
  [part='method'] {
    display: grid;
    min-block-size: 3.75rem;
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

  /* Firefox before 121 has no :has(), so the radio button keeps its own outline there. */
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
    column-gap: min(0.9375rem, 5cqi);
    padding: 0.75em min(0.9375rem, 5cqi);
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

  /* The banks begin below the start of the method's name, except on the narrowest phones. */
  [part='banks'] {
    padding-block-end: 0.5rem;
    padding-inline: clamp(1rem, 50cqi - 8rem, 3.125rem) 1rem;
    font-size: 0.875em;
  }

  summary {
    padding-block-end: 0.5em;
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
