import { textOn } from './accent.ts';

const themes = {
  light:
    'color-scheme:light;--page:#f2f4f8;--surface:#fff;--text:#141824;--muted:#586174;--border:#e1e5ec;--line:#999ca3;--success:#0f7448;--warning:#7a4b00;--danger:#b3261e',
  dark: 'color-scheme:dark;--page:#0e1015;--surface:#171a21;--text:#f1f3f8;--muted:#a3adbf;--border:#313744;--line:#737780;--success:#63d8a0;--warning:#f2c063;--danger:#ff9c94',
} as const;

/** The accent of the widget, and the text on it. */
const defaultAccents = { light: ['#3451d1', '#fff'], dark: ['#9db0ff', '#0c1230'] } as const;

const theme = (name: 'light' | 'dark', colour: string | undefined): string => {
  const [accent, text] = colour === undefined ? defaultAccents[name] : [colour, textOn(colour)];
  return `:root{${themes[name]};--pay-invoice-accent:${accent};--pay-invoice-accent-text:${text};--accent:${accent};--accent-text:${text}}`;
};

/**
 * The style sheet of the page. It has the measures and the colours of the widget, so that nothing moves when the widget takes
 * the place of the markup without script. `accent` has the form of `accentPattern`.
 */
export function pageStyle(accent?: string): string {
  return `${theme('light', accent)}@media(prefers-color-scheme:dark){${theme('dark', accent)}}${rules}`;
}

const rules = `
:root{--ink:var(--text)}
@supports(color:color-mix(in srgb,red,red)){:root{--ink:color-mix(in srgb,var(--accent) 40%,var(--text))}}
@supports(color:oklch(from light-dark(red,red) l c h)){:root{--ink:light-dark(oklch(from var(--accent) min(l,.5) c h),oklch(from var(--accent) max(l,.72) c h))}}
:root{--tint:color-mix(in srgb,var(--accent) 7%,var(--surface));--faint:color-mix(in srgb,var(--text) 4%,var(--surface))}
*,::before{box-sizing:border-box;margin:0}
body{max-width:62rem;min-height:100vh;min-height:100dvh;margin:auto;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
.shop{display:flex;align-items:center;gap:.75rem;min-height:2.5rem;margin:0 .5rem .75rem;font-size:1.125rem;font-weight:600}
.shop img{display:block;max-width:10rem;height:2.5rem}
pay-invoice{display:block}
.card{display:grid;overflow:clip;border:1px solid var(--border);border-radius:1rem;background:var(--surface)}
.head,.screen{min-width:0;padding:1rem;text-wrap:balance}
.head{min-height:8.25em;padding-bottom:.75rem;background:var(--tint)}
.screen{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;align-content:start}
.time{float:inline-end;line-height:1.6}
.due{display:block;margin-inline-end:9.5rem;line-height:1.6;color:var(--muted);font-size:1rem;font-weight:400;letter-spacing:0}
h1{font-size:clamp(2.25em,12vw,2.75em);font-weight:600;line-height:1.15;letter-spacing:-.03em;font-variant-numeric:tabular-nums}
h1 small{font-size:.6em;color:inherit}
.order{margin-top:.25em;color:var(--muted);font-size:.875em}
.badge{width:fit-content;margin-bottom:.5em;padding:.2em .7em;border:1px dashed;border-radius:.75rem;font-size:.8em;font-weight:600;color:var(--warning)}
h2{font-size:1.1875em;font-weight:600;line-height:1.3}
.muted,small{color:var(--muted)}
small{font-size:.875em}
a,button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.5em .75em;border:1px solid var(--line);border-radius:.75rem;background:none;color:inherit;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.main{min-height:3.25rem;border-color:transparent;background:var(--accent);color:var(--accent-text)}
a:hover,button:hover{background:var(--tint)}
.main:hover{background:var(--accent);filter:brightness(.93)}
.link{min-height:0;padding:.25em;border:0;color:var(--ink);text-decoration:underline;text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
form,.actions,.methods{display:grid;grid-template-columns:minmax(0,1fr);gap:.625rem}
form{gap:1rem}
.method{display:flex;align-items:center;gap:.875rem;min-height:4rem;padding:.625em .9375em;border:1px solid var(--border);border-radius:.75rem;cursor:pointer}
.method:has(:checked){border-color:var(--ink);background:var(--tint);box-shadow:inset 0 0 0 1px var(--ink)}
.method:focus-within:has(:focus-visible){outline:3px solid var(--ink);outline-offset:2px}
.method span{flex:1;min-width:0}
.method small{display:block;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.method b{font-weight:600}
.off{min-height:3.25rem;border-color:transparent;background:var(--faint);color:var(--muted);cursor:default}
.off span{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;column-gap:.75em}
.off b{font-size:.9375em;font-weight:400}
[type=radio]{appearance:none;flex:none;width:1.25rem;height:1.25rem;border:2px solid var(--line);border-radius:50%;outline:0}
[type=radio]:checked{border:6px solid var(--ink)}
.field{display:grid;gap:.375em;font-weight:600}
.field input{width:100%;min-height:3.25rem;padding:0 .5em;border:1px solid var(--line);border-radius:.75rem;background:var(--surface);color:inherit;font:inherit;font-size:1.5em;font-weight:400}
.note{display:grid;gap:.25em;justify-items:start;padding:.875em 1em;border:1px solid;border-color:color-mix(in srgb,var(--tone) 30%,var(--surface));border-radius:.75rem;background:color-mix(in srgb,var(--tone) 7%,var(--surface));--tone:var(--ink)}
.error{--tone:var(--danger)}
.qr{display:grid;gap:.75rem;justify-items:center;text-align:center}
.qr svg{display:block;width:100%;max-width:21.5rem;height:auto;border:1px solid var(--border);border-radius:.75rem;background:#fff}
.status{display:flex;align-items:baseline;gap:.625em;font-size:.875em;color:var(--muted)}
.status::before{content:'';flex:none;width:.5em;height:.5em;border-radius:50%;background:var(--ink)}
.tail{justify-self:start;padding-inline:0;border:0;color:var(--muted)}
.tail::before{content:'';width:.5em;height:.5em;margin-inline-end:.5em;border:solid;border-width:0 0 2px 2px;rotate:45deg}
.wide{display:none}
dl{overflow:clip;border:1px solid var(--border);border-radius:.75rem}
dl div{padding:.625em 1em}
dl div+div{border-top:1px solid var(--border)}
dt{color:var(--muted);font-size:.875em}
dd{position:relative;font-size:1.125em;font-weight:600;font-variant-numeric:tabular-nums;user-select:all}
[data-text]::before{content:attr(data-text);position:absolute;clip-path:inset(50%)}
dd i{margin-inline-end:.3em;font-style:normal}
dl small{display:block;font-weight:400}
.outcome{display:grid;gap:.5em;justify-items:center;padding-top:1rem;text-align:center}
.outcome :is(h1,h2){font-size:1.5em}
.outcome p{max-width:26em}
.mark{width:4rem;height:4rem;padding:1rem;border-radius:50%;background:color-mix(in srgb,currentcolor 12%,transparent);fill:none;stroke:currentcolor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;color:var(--muted)}
.paid{color:var(--success)}
.failed{color:var(--danger)}
.touch{display:none}
@media(pointer:coarse){.touch{display:grid}.mouse{display:none}}
@media(min-width:26rem){.head,.screen{padding-inline:1.5rem}}
@media(min-width:44rem){.wide{display:block}.order{margin-top:.75em}body{padding:2rem 1rem}.card{grid-template-columns:minmax(0,5fr) minmax(0,7fr)}.card.one{grid-template-columns:minmax(0,1fr)}.head,.screen{padding:2rem}}
@media(forced-colors:active){.main,.note,[type=radio]{border:1px solid}}
`.replaceAll('\n', '');
