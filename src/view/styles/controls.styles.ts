import { css } from './css.ts';

/** Texts, buttons, links, fields, notes and lists of labelled values, the same on every screen. */
export const controlStyles = css`
  h3 {
    font-size: 1.1875em;
    font-weight: 600;
    line-height: 1.3;
  }

  /* text-wrap: balance would leave half of a wide screen empty beside a paragraph. It suits the short texts of the screen itself. */
  :not([part='outcome'], .screen) > p {
    text-wrap: pretty;
  }

  h3 + p {
    margin-block-start: 0.25em;
  }

  .muted,
  [part='description'],
  .due,
  .time,
  .mark,
  label .icon {
    color: var(--_muted);
  }

  /* A finger needs 44px, however small the font of the page is. */
  button,
  a,
  summary,
  [part='method'],
  .input input {
    min-block-size: max(var(--_row, 2.75em), 44px);
  }

  button,
  a {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    padding: 0.5em 0.75em;
    border: 1px solid var(--_line);
    border-radius: var(--_inner);
    background: none;
    color: inherit;
    font: inherit;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }

  .main {
    --_row: 3.25em;
    border-color: transparent;
    background: var(--_accent);
    color: var(--_accent-text);
  }

  .main:disabled {
    background: var(--_border);
    color: var(--_muted);
    cursor: default;
  }

  .link {
    padding-inline: 0.5em;
    border: 0;
    color: var(--_ink);
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }

  :focus-visible,
  .input:focus-within {
    outline: 3px solid var(--_ink);
    outline-offset: 2px;
  }

  .icon {
    flex: none;
    inline-size: 1.25em;
    block-size: 1.25em;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }

  .clamp {
    display: -webkit-box;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 6;
    unicode-bidi: isolate;
  }

  .screen,
  .stack,
  .field,
  .qr,
  form {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--_space);
  }

  .skeleton {
    block-size: 4em;
    border-radius: var(--_inner);
    background: var(--_tint);
  }

  .line {
    block-size: 1.5em;
    max-inline-size: 50%;
  }
`;
