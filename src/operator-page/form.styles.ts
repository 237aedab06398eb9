import { css } from 'lit';

/** Fields, buttons, the link for the payer, the history and the dialog. */
export const formStyles = css`
  label,
  legend,
  summary {
    font-weight: 500;
    font-size: 0.9375rem;
  }
  input,
  select,
  textarea,
  button,
  .button {
    min-height: 2.75rem;
    padding: 0.5rem 0.875rem;
    color: var(--text);
    font: inherit;
    background: var(--surface);
    border: 1px solid var(--field);
    border-radius: 0.625rem;
  }
  input:not([type='radio'], [type='checkbox']),
  select,
  textarea {
    display: block;
    width: 100%;
    margin-top: 0.25rem;
  }
  input[type='date'] {
    padding-inline: 0.5rem;
  }
  [aria-invalid='true'] {
    border-color: var(--danger);
    box-shadow: 0 0 0 1px var(--danger);
  }
  input[type='radio'],
  input[type='checkbox'] {
    flex: none;
    width: 1.25rem;
    height: 1.25rem;
    min-height: 0;
    margin: 0;
    accent-color: var(--accent);
  }
  button,
  .button {
    font-weight: 500;
    text-decoration: none;
    cursor: pointer;
  }
  button:disabled {
    opacity: 0.6;
    cursor: default;
  }
  .main {
    color: var(--accent-text);
    background: var(--accent);
    border-color: transparent;
  }
  .quiet {
    padding: 0.5rem 0.25rem;
    color: var(--muted);
    background: none;
    border-color: transparent;
  }
  [role='alert']:not(:empty) {
    position: sticky;
    top: 0.5rem;
    bottom: 0.5rem;
    z-index: 1;
    padding: 0.625rem 1rem;
    background: var(--surface);
    border: 1px solid var(--danger);
    border-radius: 0.75rem;
  }
  .link [role='alert'] {
    position: static;
    scroll-margin: 0.5rem;
  }
  .small {
    min-height: 2rem;
    padding: 0 0.5rem;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  .fields {
    gap: 1.25rem;
  }
  .fields div > p {
    margin-top: 0.375rem;
  }
  fieldset {
    display: grid;
    grid-template-columns: 1fr 1fr;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0 0 0.25rem;
  }
  .check,
  .segments label,
  .option {
    display: flex;
    gap: 0.625rem;
    align-items: center;
    min-height: 2.75rem;
    padding: 0.5rem 0.75rem;
  }
  .segments label,
  .option {
    border: 1px solid var(--border);
    cursor: pointer;
  }
  .segments label:first-of-type {
    border-radius: 0.625rem 0 0 0.625rem;
  }
  .segments label:last-of-type {
    border-radius: 0 0.625rem 0.625rem 0;
  }
  .option {
    align-items: start;
    border-radius: 0.75rem;
  }
  .option span span {
    display: block;
    font-weight: 400;
  }
  :has(> input:checked):is(.segments label, .option) {
    background: color-mix(in srgb, var(--accent) 10%, transparent);
    border-color: var(--accent);
  }
  summary {
    min-height: 1.75rem;
    color: var(--muted);
    cursor: pointer;
  }
  details > dl,
  details > .muted {
    margin-top: 0.5rem;
  }
  .hand-over {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr));
    gap: 1.25rem;
    align-items: center;
  }
  .hand-over > div {
    display: grid;
    gap: 0.75rem;
  }
  .qr {
    width: 100%;
    max-width: 20rem;
    margin: auto;
    background: #fff;
    border: 1px solid var(--border);
    border-radius: 1rem;
  }
  .state {
    padding: 0.625rem 1rem;
    border-radius: 0.75rem;
  }
  .stamp {
    padding: 2rem 1rem;
    font-weight: 700;
    font-size: 2.25rem;
    text-align: center;
  }
  .history {
    gap: 0.5rem;
  }
  .history li {
    display: grid;
    grid-template-columns: 4.25rem 8rem minmax(0, 1fr);
    gap: 0 0.5rem;
    align-items: baseline;
  }
  .history .day {
    display: block;
    margin-top: 0.25rem;
    font-weight: 600;
  }
  .history .ahead {
    padding: 0.25rem 0;
    color: var(--muted);
    font-style: italic;
    border-top: 1px dashed var(--field);
  }
  .actor {
    display: flex;
    gap: 0.375rem;
    align-items: baseline;
  }
  .icon {
    flex: none;
    align-self: center;
    width: 1.25rem;
    height: 1.25rem;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .icon.person {
    color: var(--accent);
  }
  .icon.service {
    color: var(--success);
  }
  dialog {
    width: min(32rem, 100%);
    max-width: 100%;
    padding: 1.5rem;
    color: inherit;
    background: var(--surface);
    border: 0;
    border-radius: 1.25rem;
  }
  dialog form {
    display: grid;
    gap: 0.75rem;
  }
  dialog h3 {
    font-size: 1.25rem;
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 55%);
  }
  @media (min-width: 36rem) {
    .tabs {
      flex-wrap: wrap;
    }
  }
  @media (max-width: 36rem) {
    .top .row {
      gap: 0.25rem;
    }
    .top .quiet {
      font-size: 0.875rem;
    }
    .top h1 {
      font-size: 1.25rem;
    }
    .filters button:only-of-type {
      grid-column: 1 / -1;
    }
    .top .main {
      flex: 1 0 100%;
      text-align: center;
    }
    .history li {
      grid-template-columns: 4.25rem 1.25rem minmax(0, 1fr);
    }
    .actor {
      align-self: start;
    }
    .actor-name {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
    .actions {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(5.5rem, 1fr));
      align-items: stretch;
    }
    .actions button {
      padding: 0.375rem 0.125rem;
      font-size: 0.875rem;
      line-height: 1.25;
    }
    dialog {
      margin-bottom: 0;
      border-radius: 1.25rem 1.25rem 0 0;
    }
    dialog button,
    .hand-over .row > * {
      flex: 1 0 auto;
      text-align: center;
    }
  }
`;
