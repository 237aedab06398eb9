import { accentRoles } from '../../base/accent-roles.ts';
import { css } from './css.ts';
import { colourDeclarations } from './colour-declarations.ts';

/** Maps the public custom properties to private ones, once, with the defaults of both themes. */
export const customPropertyStyles = css`
  :host {
    ${colourDeclarations((light, dark) => `light-dark(${light}, ${dark})`)}
    --_radius: var(--pay-invoice-radius, 1em);
    --_space: var(--pay-invoice-space, 1em);
    --_tint: color-mix(in srgb, var(--_accent) 7%, var(--_surface));
    --_faint: color-mix(in srgb, var(--_text) 4%, var(--_surface));
    --_line: color-mix(in srgb, var(--_text) 48%, var(--_surface));
    /* For browsers that cannot compute the roles of the accent. */
    --_ink: var(--_text);
    --_inner: calc(var(--_radius) * 0.75);

    display: block;
    writing-mode: horizontal-tb;
    break-inside: avoid;
    font-family: var(--pay-invoice-font, inherit);

    /* The size that the payer has set in the browser. All measures are in em: many pages have a root font of 10px. */
    font-size: var(--pay-invoice-font-size, medium);
  }

  ${accentRoles}

  /* In older browsers theme="auto" is the light theme, and tints are a light grey on any surface. */
  @supports not (color: light-dark(red, red)) {
    :host {
      ${colourDeclarations((light) => light)}
      --_tint: #8881;
      --_faint: #8881;
      --_line: var(--_muted);

      color-scheme: light;
    }

    :host([theme='dark']) {
      ${colourDeclarations((_, dark) => dark)}
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
`;
