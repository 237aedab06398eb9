import { unsafeCSS } from 'lit';

/** The colours, in the light and in the dark theme. */
const colours = [
  ['accent', '#3451d1', '#9db0ff'],
  ['accent-text', '#fff', '#0c1230'],
  ['text', '#141824', '#f1f3f8'],
  ['muted', '#586174', '#a3adbf'],
  ['surface', '#fff', '#171a21'],
  ['border', '#e1e5ec', '#313744'],
  ['danger', '#b3261e', '#ff9c94'],
  ['success', '#0f7448', '#63d8a0'],
  ['warning', '#7a4b00', '#f2c063'],
] as const;

/** Declares the private property of each colour: the page's value, or the default that `colour` returns. */
const properties = (colour: (light: string, dark: string) => string): string =>
  colours.map(([name, light, dark]) => `--_${name}:var(--pay-invoice-${name},${colour(light, dark)});`).join('');

const [inEither, inLight, inDark] = [
  properties((light, dark) => `light-dark(${light},${dark})`),
  properties((light) => light),
  properties((_, dark) => dark),
];

/** Maps the public custom properties to private ones, once, with the defaults of both themes. */
export const customPropertyStyles = unsafeCSS(`
  :host {
    ${inEither}
    --_radius: var(--pay-invoice-radius, 1rem);
    --_space: var(--pay-invoice-space, 1rem);
    --_tint: color-mix(in srgb, var(--_accent) 7%, var(--_surface));
    --_faint: color-mix(in srgb, var(--_text) 4%, var(--_surface));
    --_line: color-mix(in srgb, var(--_text) 48%, var(--_surface));
    --_inner: calc(var(--_radius) * 0.75);

    display: block;
    container-type: inline-size;
    color: var(--_text);
    font-family: var(--pay-invoice-font, inherit);
    font-size: var(--pay-invoice-font-size, 1rem);
    font-weight: 400;
    line-height: 1.45;
    text-align: start;
    overflow-wrap: anywhere;
    -webkit-text-size-adjust: 100%;
  }

  /* In older browsers theme="auto" is the light theme, and tints are a light grey on any surface. */
  @supports not (color: light-dark(red, red)) {
    :host {
      ${inLight}
      --_tint: #8881;
      --_faint: #8881;
      --_line: var(--_muted);

      color-scheme: light;
    }

    :host([theme='dark']) {
      ${inDark}
    }
  }

  :host([hidden]) {
    display: none;
  }

  :host([theme='light']) {
    color-scheme: light;
  }

  :host([theme='dark']) {
    color-scheme: dark;
  }

  *,
  ::before {
    box-sizing: border-box;
    margin: 0;
  }
`);
