import { accentRolesOf } from '../../base/accent-roles.ts';
import { pageColours } from '../../base/page-colours.ts';
import { widgetColours } from '../../base/widget-colours.ts';
import { textOn } from './accent.ts';
import { logoClass, type Shop } from './page-parts.ts';

/** `value` makes the value of a colour from those of its themes. */
const declare = (value: (name: string, light: string, dark: string) => string): string =>
  widgetColours.map(([name, light, dark]) => `--${name}:${value(name, light, dark)}`).join(';');

/** A theme of the page. The widget gets the shop's colour by its custom properties. */
function theme(name: 'light' | 'dark', accent: string | undefined): string {
  const isLight = name === 'light';
  const shops = new Map(accent === undefined ? [] : Object.entries({ accent, 'accent-text': textOn(accent) }));
  const ofWidget = Array.from(shops, ([name, value]) => `--pay-invoice-${name}:${value};`);
  const own = declare((name, light, dark) => shops.get(name) ?? (isLight ? light : dark));
  return `:root{color-scheme:${name};--page:${pageColours[name]};${ofWidget.join('')}${own}}`;
}

/** The style sheet of the page. `accent` has the form of `accentPattern`. */
export function pageStyle(accent?: string, { legal, logoUrl, methodLogos = {}, bankLinks }: Shop = {}): string {
  const logos = Object.entries(methodLogos).map(
    ([type, url]) =>
      `.${logoClass(type)}{width:1.75em;height:1.75em;background:url(${quoted(url)})center/contain no-repeat}`,
  );
  const banks = bankLinks === undefined ? '' : '.banks{display:flex;flex-wrap:wrap;gap:.625em}.banks a{flex:1 7.5em}';
  const logo = logoUrl === undefined ? '' : 'img{display:block;max-width:10rem;height:2.5rem}';
  // Once the widget shows the receipt, that says who sells.
  const seller = legal === undefined ? '' : 'body:has(pay-invoice[status=paid]) .seller{display:none}';
  return `${theme('light', accent)}@media(prefers-color-scheme:dark){${theme('dark', accent)}}${derived(':root')}${pageRules}${rules}${logo}${seller}${banks}${logos.join('')}`;
}

/** A string of CSS in a style element. */
const quoted = (text: string): string => `"${text.replace(/[<"\\]/g, encodeURIComponent)}"`;

/** Rules for the elements inside another one alone. */
const within = (scope: string, sheet: string): string =>
  sheet.replace(/(?<=^|[{}])[^{}@]+(?=\{)/g, (selectors) =>
    selectors
      .split(',')
      .map((selector) => `${scope} ${selector}`)
      .join(','),
  );

/** Colours made of others. The widget makes them in the same way; the roles of the accent come from the same declarations. */
const derived = (root: string): string =>
  `
${root}{--ink:var(--text);--line:var(--muted);--tint:#8881;--faint:#8881}
@supports(color:color-mix(in srgb,red,red)){${root}{--line:color-mix(in srgb,var(--text) 48%,var(--surface));--tint:color-mix(in srgb,var(--accent) 7%,var(--surface));--faint:color-mix(in srgb,var(--text) 4%,var(--surface))}}
${accentRolesOf(root)}
`.replaceAll('\n', '');

/**
 * The rules of the page around the markup. What is below `main` is below the window's edge: it never moves before the payer's eyes. The
 * frame of the status lies outside of the window at first, where it is not loaded. `main` counts the time, because the markup moves into a
 * slot; WebKit needs its own values beside those of the keyframe.
 */
const pageRules = `
body{max-width:62rem;margin:auto;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
.shop{display:flex;align-items:center;gap:.75rem;min-height:2.5rem;margin:0 .5rem .75rem;font-size:1.125rem;font-weight:600}
main{container-type:inline-size;min-height:100vh;--away:auto;--shown:visible;animation:late 0s 5s backwards}
pay-invoice{display:block}
footer{margin:1rem .5rem 0;line-height:2;color:var(--muted)}
footer p,footer nav{display:flex;flex-wrap:wrap;column-gap:1rem;font-size:.875rem}
footer a{min-height:0;text-align:start;padding:0;border:0;font-weight:400;color:inherit;text-decoration:underline}
pay-invoice:not(:defined)>:not([slot=markup]){display:none}
@media(scripting:none){.rule{display:none}}
@media print{main{min-height:0}.actions,.status,iframe,footer nav,details{display:none!important}}
iframe{position:absolute;top:-1em;width:100%;height:calc(100% + 2em);border:0;left:var(--away);visibility:var(--shown)}
@keyframes late{from{--away:-9999px;--shown:hidden}}
@media(min-width:44rem){body{padding:2rem 1rem}}
`.replaceAll('\n', '');

/** The rules of the markup. They have the measures of the widget, so that nothing moves when the widget takes its place. */
const rules = `
*,::before{box-sizing:border-box;margin:0}
.card{display:grid;max-width:60em;margin:auto;overflow:clip;border:1px solid var(--border);border-radius:var(--pay-invoice-radius,1em);background:var(--surface)}
.head,.screen{min-width:0;padding:1em;text-wrap:balance}
.head{min-height:8.25em;padding-bottom:.75em;background:var(--tint)}
.screen{display:grid;grid-template-columns:minmax(0,1fr);gap:1em;align-content:start}
.due{display:block;margin-inline-end:9.5em;line-height:1.6;color:var(--muted);font-size:var(--pay-invoice-font-size,medium);font-weight:400;letter-spacing:0}
h1,.amount{font-size:min(2.75em,12cqi);font-weight:600;line-height:1.15;letter-spacing:-.03em}
.amount small{font-size:.6em;color:inherit}
.order{margin-top:.25em;color:var(--muted);font-size:.875em}
.badge{padding:0 .5em;border:1px dashed;border-radius:.75em;font-size:.875em;color:var(--warning)}
.test{color:var(--warning)}
.title{font-size:1.1875em;font-weight:600;line-height:1.3}
.muted,small{color:var(--muted)}
small{font-size:.875em}
a,button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75em;padding:.5em .75em;border:1px solid var(--line);border-radius:.75em;background:none;color:inherit;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.main{min-height:3.25em;border-color:transparent;background:var(--accent);color:var(--accent-text)}
a:hover,button:hover{background:var(--tint)}
.main:hover{background:var(--accent);filter:brightness(.93)}
.link{padding:.25em;border:0;color:var(--ink);text-decoration:underline;text-underline-offset:.2em}
:focus-visible,.method:focus-within:has(:focus-visible),.field span:focus-within{outline:3px solid var(--ink);outline-offset:2px}
form,.actions,.methods{display:grid;grid-template-columns:minmax(0,1fr);gap:.625em}
form{gap:1em}
.method{display:flex;align-items:center;gap:.875em;min-height:4em;padding:.625em .9375em;border:1px solid var(--border);border-radius:.75em;cursor:pointer}
.method:has(:checked){border-color:var(--ink);background:var(--tint);box-shadow:inset 0 0 0 1px var(--ink)}
form:has(.sbp :checked) .any,form:has(.bank :checked) .any{display:none}
form:has(.sbp :checked) .main .sbp,form:has(.bank :checked) .main .bank{display:inline}
.method span{flex:1;min-width:0}
.method small{display:flex;flex-wrap:wrap;gap:.25em}
.method small bdi{padding-inline:.5em;border:1px solid var(--border);border-radius:.75em}
.method b{font-weight:600}
.off{min-height:3.25em;border-color:transparent;background:var(--faint);color:var(--muted);cursor:default}
.off span{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;column-gap:.5em}
.off b{font-size:.875em;font-weight:400}
[type=radio]{appearance:none;font:inherit;flex:none;width:1.25em;height:1.25em;border:2px solid var(--line);border-radius:50%;outline:0}
[type=radio]:checked{border:6px solid var(--ink)}
.field{display:grid;gap:.375em;font-weight:600}
.field span{display:flex;align-items:center;padding:0 .75em;border:1px solid var(--line);border-radius:.5em;font-size:1.5em;font-weight:400;color:var(--muted)}
.field input{flex:1;min-width:0;min-height:2.1667em;padding:0;border:0;outline:0;background:none;color:var(--text);font:inherit}
.field small{font-weight:400}
.bare{min-height:0}
.bare .amount{font-size:1.25em}
.note{display:grid;gap:.25em;justify-items:start;padding:.875em 1em;border:1px solid var(--ink);border-radius:.75em}
.error{color:var(--danger);border-color:var(--danger)}
.qr{display:grid;gap:.75em;justify-items:center;text-align:center}
.qr svg{display:block;width:100%;max-width:21.5em;height:auto;border:1px solid var(--border);border-radius:.75em;background:#fff}
details{border:1px solid var(--border);border-radius:.75em}
summary{display:flex;align-items:center;min-height:3em;padding:0 1em;font-weight:600;cursor:pointer}
.touch svg{border:0}
.status{position:relative;display:flex;align-items:baseline;gap:.625em;font-size:.875em;color:var(--muted)}
.status::before{content:'';flex:none;width:.5em;height:.5em;border-radius:50%;background:var(--ink)}
.tail{justify-self:start;padding-inline:0;border:0;color:var(--muted)}
.tail::before{content:'';width:.5em;height:.5em;margin-inline-end:.5em;border:solid;border-width:0 0 2px 2px;rotate:45deg}
.wide{display:none}
ol{margin-top:4.43em;padding-inline-start:1.4em;font-size:.875em}
dl{overflow:clip;border:1px solid var(--border);border-radius:.75em}
dl div{padding:.625em 1em}
dl div+div{border-top:1px solid var(--border)}
dt{color:var(--muted);font-size:.875em}
dd{position:relative;font-size:min(1.125em,10cqi);font-weight:600;font-variant-numeric:tabular-nums;user-select:all}
[data-text]::before{content:attr(data-text);position:absolute;clip-path:inset(50%)}
dd i{margin-inline-end:.3em;font-style:normal}
dl small{display:block;font-weight:400;font-size:.78em}
.outcome{display:grid;gap:.5em;justify-items:center;padding-top:1em;text-align:center}
.outcome h1,.outcome .title{font-size:1.5em}
.outcome p{max-width:26em}
.mark{width:4em;height:4em;padding:1em;border-radius:50%;background:color-mix(in srgb,currentcolor 12%,transparent);fill:none;stroke:currentcolor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;color:var(--muted)}
.paid{color:var(--success)}
.failed{color:var(--danger)}
.touch{display:none}
@media(pointer:coarse){.touch{display:grid}.mouse{display:none!important}details.touch{display:block}}
@container(min-width:24em){.head,.screen{padding-inline:1.5em}}
@container(min-width:42em){.wide{display:block}.order{margin-top:.75em}.card{grid-template-columns:minmax(0,5fr) minmax(0,7fr)}.card.one{grid-template-columns:minmax(0,1fr)}.head,.screen{padding:2em}}
@media(forced-colors:active){.main,[type=radio]{border:1px solid}}
@media(inverted-colors){.qr svg{filter:invert()}}
`.replaceAll('\n', '');

/** The rules for a page whose font may be small: a finger needs 44px. */
const rulesForAnyFont = rules.replace(/min-height:([\d.]+em)/g, 'min-height:max($1,44px)');

const shopsColours = (value: (light: string, dark: string) => string): string =>
  declare((name, light, dark) => `var(--pay-invoice-${name},${value(light, dark)})`);

/** The style sheet of the markup in a page of the shop: for the markup alone, with the custom properties that the page sets. */
export const markupStyle = `pay-invoice{display:block}
pay-invoice[theme=light]{color-scheme:light}
pay-invoice[theme=dark]{color-scheme:dark}
pay-invoice::before{content:'';display:grid;grid-template-columns:minmax(0,min(480px,100vw - 64px))}
[slot=markup]{all:initial;display:block;container-type:inline-size;min-width:min(280px,100vw - 40px);max-width:100cqi;color:var(--text);color-scheme:inherit;font-family:var(--pay-invoice-font,inherit);font-size:var(--pay-invoice-font-size,medium);line-height:1.45;overflow-wrap:anywhere;visibility:inherit;-webkit-text-size-adjust:100%;${shopsColours((light) => light)}}
@supports(color:light-dark(red,red)){[slot=markup]{${shopsColours((light, dark) => `light-dark(${light},${dark})`)}}}
${derived('[slot=markup]')}${within('[slot=markup]', rulesForAnyFont)}`.replaceAll('\n', '');
