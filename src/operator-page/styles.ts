import { css } from 'lit';

export const styles = css`
  :host {
    --line: light-dark(#d5d9e0, #353a44);
    --muted: light-dark(#5a6270, #a3abb8);
    display: block;
    max-width: 68rem;
    margin: 0 auto;
    padding: 0.5rem;
    font: 0.9375rem/1.5 system-ui;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
    background: Canvas;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 0.75rem;
    align-items: center;
  }
  h1,
  h2,
  h3,
  dd,
  ul,
  ol {
    margin: 0;
    padding: 0;
    font-size: 1rem;
    list-style: none;
  }
  h1 {
    font-size: 1.375rem;
  }
  h2,
  header {
    margin: 1rem 0 0.5rem;
  }
  .start {
    flex: 1 0 20rem;
  }
  .end {
    text-align: end;
  }
  .card,
  ul {
    background: light-dark(#f6f7f9, #1d2026);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
  }
  .card {
    margin-top: 0.75rem;
    padding: 1rem;
  }
  .narrow,
  dialog {
    max-width: 28rem;
    margin: auto;
  }
  a {
    color: inherit;
  }
  ul a {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0 1rem;
    padding: 0.75rem 1rem;
    text-decoration: none;
  }
  li + li a {
    border-top: 1px solid var(--line);
  }
  .muted,
  dt,
  time {
    color: var(--muted);
    font-size: 0.8125rem;
  }
  .good {
    color: light-dark(#146c2e, #7ddc94);
  }
  .bad {
    color: light-dark(#b3261e, #ffb4ab);
  }
  dl,
  .filters {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
    gap: 0.5rem 1rem;
    margin: 0.75rem 0 0;
  }
  .filters > * {
    align-self: end;
  }
  [name],
  button {
    box-sizing: border-box;
    min-height: 2.625rem;
    padding: 0.5rem 0.75rem;
    font: inherit;
    background: Canvas;
    border: 1px solid var(--muted);
    border-radius: 0.5rem;
  }
  [name]:not([type='radio']) {
    width: 100%;
  }
  .main {
    color: light-dark(#fff, #0b1a33);
    background: light-dark(#1756c9, #8ab4ff);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 50%);
  }
`;
