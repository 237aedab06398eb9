import { colourDeclarations } from '../../../base/page-colours.ts';

/** The style sheet of the bank's pages. It has its own URL, so that the pages need no inline styles. */
export const bankStyle = `
:root {
  color-scheme: light dark;
  ${colourDeclarations}
  --accent-strong: light-dark(#213aa6, #bdc9ff);
  --sand: light-dark(#fdeecb, #46370f);
  --sand-text: light-dark(#6b4a00, #ffdf94);
  --good-soft: light-dark(#dff5ea, #12352a);
  --bad-soft: light-dark(#fce8e6, #43201d);
  --calm-soft: light-dark(#e8ebf5, #272c3b);
  font: 1rem/1.5 system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  color: var(--text);
  background: var(--page);
}
*, ::before, ::after { box-sizing: border-box; }
body {
  display: grid;
  grid-template-rows: auto 1fr auto;
  min-height: 100vh;
  min-height: 100dvh;
  max-width: 58rem;
  margin: 0 auto;
  padding: 0 1rem;
}
h1, h2, p, dl, dd { margin: 0; }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: 1rem 0; }
.brand { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem 0.625rem; font-weight: 650; letter-spacing: -0.01em; }
.mark { width: 2rem; height: 2rem; }
.mark rect { fill: var(--accent); }
.mark path { fill: var(--accent-text); }
.test {
  padding: 0.125rem 0.5rem;
  border-radius: 99rem;
  font-size: 0.75rem;
  letter-spacing: 0.06em;
  color: var(--sand-text);
  background: var(--sand);
}
.language { padding: 0.5rem; margin-inline-end: -0.5rem; color: var(--muted); text-underline-offset: 0.2em; }
main { display: grid; align-content: start; gap: 1rem; }
section { padding: 1.25rem; border: 1px solid var(--border); border-radius: 1.25rem; background: var(--surface); }
.summary { display: grid; justify-items: center; gap: 0.25rem; padding: 2rem 1.25rem 1.25rem; text-align: center; }
h1 { font-size: 1.125rem; font-weight: 600; line-height: 1.3; text-wrap: balance; }
.summary.pending h1 { color: var(--muted); font-weight: 500; font-size: 1rem; }
h2 { font-size: 0.9375rem; font-weight: 650; padding-block-end: 0.5rem; }
.amount {
  max-width: 100%;
  font-size: clamp(2rem, 1.2rem + 5vw, 2.75rem);
  font-weight: 700;
  line-height: 1.2;
  letter-spacing: -0.03em;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
.note { color: var(--muted); font-size: 0.9375rem; text-wrap: balance; }
.note span { display: inline-block; }
.note span + span::before { content: '· '; }
.badge {
  width: 3.5rem;
  height: 3.5rem;
  margin-block-end: 0.5rem;
  padding: 0.5rem;
  border-radius: 50%;
  fill: none;
  stroke: var(--muted);
  stroke-width: 2;
  stroke-linecap: round;
  stroke-linejoin: round;
  background: var(--calm-soft);
}
.paid .badge { stroke: var(--success); background: var(--good-soft); }
.refused .badge, .foreign .badge { stroke: var(--danger); background: var(--bad-soft); }
form { display: grid; gap: 0.5rem; width: 100%; padding-block-start: 1.25rem; }
button, a.primary {
  min-height: 3.25rem;
  padding: 0.75rem 1.25rem;
  border: 0;
  border-radius: 0.875rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  overflow-wrap: anywhere;
  cursor: pointer;
}
.primary { color: var(--accent-text); background: var(--accent); }
.primary:hover { background: var(--accent-strong); }
a.primary { width: 100%; margin-block-start: 1.25rem; }
.quiet { border: 1px solid color-mix(in oklab, var(--text) 35%, var(--surface)); color: var(--text); background: transparent; }
.quiet:hover { background: var(--calm-soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.5rem; }
button:focus-visible, a.primary:focus-visible { border-radius: 0.875rem; }
dl > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 0.5rem; padding: 0.5rem 0; }
dl > div + div { border-block-start: 1px solid var(--border); }
dl > div:last-child { padding-block-end: 0; }
dt { color: var(--muted); }
dd { margin-inline-start: auto; overflow-wrap: anywhere; min-width: 0; text-align: end; font-variant-numeric: tabular-nums; }
ol { margin: 0.75rem 0 0; padding: 0; list-style: none; }
li + li { border-block-start: 1px solid var(--border); }
li a {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 0 1rem;
  margin: 0 -0.75rem;
  padding: 0.75rem;
  border-radius: 0.75rem;
  color: inherit;
  text-decoration: none;
}
li a:hover { background: var(--calm-soft); }
li b { color: var(--accent); font-variant-numeric: tabular-nums; }
li .note { grid-column: 1 / -1; overflow-wrap: anywhere; text-wrap: wrap; }
.state {
  grid-area: 1 / 2;
  align-self: center;
  max-width: 9rem;
  padding: 0.125rem 0.625rem;
  border-radius: 99rem;
  font-size: 0.75rem;
  font-weight: 650;
  overflow-wrap: anywhere;
  background: var(--calm-soft);
}
.state.paid { color: var(--success); background: var(--good-soft); }
.state.refused { color: var(--danger); background: var(--bad-soft); }
.state.pending { color: var(--sand-text); background: var(--sand); }
footer { padding: 1.5rem 0; color: var(--muted); font-size: 0.875rem; text-align: center; }
@media (max-width: 25rem) {
  .note span { display: block; }
  .note span + span::before { content: none; }
}
@media (min-width: 48rem) {
  body { padding: 0 2rem; }
  header { padding: 1.5rem 0; }
  main { grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.25rem; align-content: safe center; align-items: start; }
  section { padding: 1.5rem; }
  .summary { padding: 2.75rem 2rem 2rem; }
  .overview { justify-self: center; width: min(100%, 36rem); }
  .unknown, .foreign { justify-self: center; max-width: 28rem; padding-block-end: 2.75rem; }
}
@media (prefers-contrast: more) {
  section { border-color: currentcolor; }
}
`;
