import { css, unsafeCSS } from 'lit';
import { colourDeclarations, pageColours } from '../base/page-colours.ts';

/** The document around the element. */
export const pageStyles = css`
  html {
    background: light-dark(${unsafeCSS(pageColours.light)}, ${unsafeCSS(pageColours.dark)});
  }
  body {
    margin: 0;
  }
`;

export const styles = css`
  :host {
    ${unsafeCSS(colourDeclarations)}
    --field: light-dark(#8b93a3, #6c7688);
    display: block;
    max-width: 60rem;
    margin: 0 auto;
    padding: 0.75rem 0.75rem 4rem;
    color: var(--text);
    font:
      1rem/1.5 system-ui,
      sans-serif;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  * {
    box-sizing: border-box;
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
  p,
  dl,
  dd,
  ul,
  ol {
    margin: 0;
    padding: 0;
    font-size: 1rem;
    list-style: none;
  }
  h1 {
    font-size: 1.5rem;
    line-height: 1.25;
  }
  h2 {
    margin: 2rem 0 0.5rem;
    font-size: 1.125rem;
  }
  header {
    margin-bottom: 0.75rem;
  }
  section {
    margin-top: 2rem;
  }
  .top .row {
    flex-wrap: nowrap;
    gap: 0.5rem;
  }
  header h2 {
    margin: 0;
  }
  .start {
    flex: 1;
  }
  .top .start {
    flex: 1 0 auto;
  }
  .sum {
    white-space: nowrap;
  }
  .end {
    text-align: end;
  }
  .line {
    display: flex;
    gap: 1rem;
    align-items: start;
    justify-content: space-between;
  }
  .line > :last-child {
    flex: none;
    max-width: 70%;
  }
  .card,
  .list {
    background: var(--surface);
    border: 1px solid var(--border);
    border-radius: 1rem;
  }
  .card {
    display: grid;
    gap: 0.75rem;
    margin-top: 0.75rem;
    padding: 1.25rem;
  }
  .card h2 {
    margin: 0;
  }
  .alarm > button {
    justify-self: start;
  }
  .narrow {
    max-width: 32rem;
    margin: 1rem auto;
  }
  .amount {
    font-weight: 600;
    font-size: 2rem;
    line-height: 1.2;
  }
  a {
    color: var(--accent);
  }
  a.start,
  .all {
    font-weight: 500;
    text-decoration: none;
  }
  .all {
    display: block;
    padding: 0.75rem 1.25rem;
  }
  .list a {
    display: grid;
    gap: 0.125rem;
    padding: 0.75rem 1.25rem;
    color: inherit;
    text-decoration: none;
  }
  .list li + li {
    border-top: 1px solid var(--border);
  }
  .list a:hover {
    background: color-mix(in srgb, var(--accent) 7%, transparent);
  }
  .list li:first-child a {
    border-radius: 1rem 1rem 0 0;
  }
  .muted,
  dt,
  time {
    color: var(--muted);
    font-size: 0.875rem;
  }
  .info {
    --tone: var(--accent);
  }
  .wait {
    --tone: var(--warning);
  }
  .good {
    --tone: var(--success);
  }
  .bad {
    --tone: var(--danger);
  }
  .info,
  .wait,
  .good,
  .bad {
    color: var(--tone);
  }
  p:empty {
    display: none;
  }
  .chip,
  .state {
    color: var(--tone, var(--muted));
    background: color-mix(in srgb, var(--tone, var(--muted)) 12%, transparent);
    border-radius: 1rem;
  }
  .chip {
    display: inline-block;
    padding: 0.0625rem 0.625rem;
    font-weight: 500;
    font-size: 0.8125rem;
  }
  .alarm {
    --border: var(--danger);
  }
  .alarm h2 {
    margin-top: 0;
    color: var(--danger);
  }
  .tabs {
    display: flex;
    gap: 0.25rem;
    margin: 1.5rem -0.75rem 0.75rem;
    padding: 0.25rem 0.75rem;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .tabs a {
    flex: none;
    padding: 0.375rem 0.875rem;
    color: var(--muted);
    text-decoration: none;
    border-radius: 2rem;
  }
  .tabs [aria-current] {
    color: var(--text);
    font-weight: 600;
    background: color-mix(in srgb, var(--accent) 16%, transparent);
  }
  dl,
  .filters,
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
    gap: 0.75rem 1rem;
  }
  dl {
    grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr));
  }
  .filters > * {
    align-self: end;
  }
  .filters label:first-of-type {
    grid-column: span 2;
  }
`;
