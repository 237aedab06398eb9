import { css } from 'lit';

/** The page outside of the element. */
export const pageStyles = css`
  html {
    color-scheme: light dark;
    background: light-dark(#f4f5f7, #14161a);
  }
  body {
    margin: 0;
  }
`;

export const styles = css`
  :host {
    --line: light-dark(#d5d9e0, #353a44);
    --card: light-dark(#fff, #1d2026);
    --muted: light-dark(#5a6270, #a3abb8);
    --accent: light-dark(#1756c9, #8ab4ff);
    --bad: light-dark(#b3261e, #ffb4ab);
    --good: light-dark(#146c2e, #7ddc94);
    display: block;
    max-width: 68rem;
    margin: 0 auto;
    padding: 1rem;
    color: light-dark(#15181d, #e8eaee);
    font:
      0.9375rem/1.5 system-ui,
      sans-serif;
  }
  * {
    box-sizing: border-box;
  }
  header,
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 0.75rem;
    align-items: center;
  }
  header {
    justify-content: space-between;
    margin-bottom: 1rem;
  }
  h1,
  h2,
  h3 {
    margin: 0;
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  h1 {
    font-size: 1.375rem;
  }
  h2 {
    margin: 1.5rem auto 0.5rem 0;
    font-size: 1.0625rem;
  }
  h3 {
    font-size: 1rem;
  }
  p {
    margin: 0.5rem 0;
  }
  .card,
  .list {
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
  }
  .card {
    margin-bottom: 0.75rem;
    padding: 1rem;
  }
  .narrow {
    max-width: 26rem;
    margin: 12vh auto 0;
  }
  .list,
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .list a {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0 1rem;
    padding: 0.75rem 1rem;
    color: inherit;
    text-decoration: none;
  }
  .list li + li {
    border-top: 1px solid var(--line);
  }
  .list a:hover {
    background: light-dark(#f4f7fd, #23272f);
  }
  .end {
    text-align: end;
  }
  .muted,
  dt,
  time {
    color: var(--muted);
    font-size: 0.8125rem;
  }
  .money {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .badge {
    color: var(--muted);
    font-weight: 600;
  }
  .good {
    color: var(--good);
  }
  .bad {
    color: var(--bad);
  }
  dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr));
    gap: 0.5rem 1rem;
    margin: 0.75rem 0 0;
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  ol li {
    display: grid;
    grid-template-columns: 10.5rem minmax(0, 1fr);
    gap: 0 0.75rem;
    padding: 0.25rem 0;
    overflow-wrap: anywhere;
  }
  label {
    display: block;
    font-weight: 600;
  }
  input,
  select,
  textarea,
  button {
    min-height: 2.5rem;
    padding: 0.375rem 0.75rem;
    color: inherit;
    font: inherit;
    font-weight: normal;
    background: var(--card);
    border: 1px solid light-dark(#878e9b, #7b8391);
    border-radius: 0.5rem;
  }
  input:not([type='radio']),
  select,
  textarea {
    width: 100%;
  }
  input[type='radio'] {
    min-height: 0;
    margin: 0 0.5rem 0 0;
  }
  button {
    cursor: pointer;
  }
  button[disabled] {
    cursor: progress;
    opacity: 0.6;
  }
  .main {
    color: light-dark(#fff, #0b1a33);
    background: var(--accent);
    border-color: var(--accent);
  }
  .link {
    min-height: 0;
    padding: 0;
    color: var(--accent);
    background: none;
    border: 0;
    text-decoration: underline;
  }
  a {
    color: var(--accent);
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .filters {
    display: grid;
    grid-template-columns: minmax(0, 2fr) repeat(3, minmax(0, 1fr)) auto auto;
    gap: 0.5rem;
    align-items: end;
  }
  dialog {
    width: min(30rem, calc(100vw - 2rem));
    padding: 1.25rem;
    color: inherit;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 50%);
  }
  dialog .row {
    justify-content: flex-end;
    margin-top: 1rem;
  }
  dialog label {
    margin-top: 0.5rem;
  }
  @media (width < 48rem) {
    .filters {
      grid-template-columns: 1fr 1fr;
    }
    .filters :first-child {
      grid-column: 1 / -1;
    }
    ol li {
      grid-template-columns: 1fr;
    }
  }
`;
