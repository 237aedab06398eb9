/**
 * The two roles of an accent in the widget, as a style sheet for browsers with relative colours. `--_accent` is the fill of areas, as
 * the shop gives it, with `--_accent-text` on it: white where white has a contrast of 4.5 (WCAG 2.2, 1.4.3), else black. `--_ink` is
 * the accent of texts, icons, borders and focus rings: at most, and in the dark theme at least, as light as has that contrast in every
 * hue, also on a surface with the tint.
 *
 * A grey whose X, Y and Z are all the luminance has a lightness of 1.0033 times the luminance's cube root: 0.57 for 0.1833, at which
 * white and black have about the same contrast.
 */
export const accentRoles =
  '@supports(color:oklch(from light-dark(red,red)l c h)){:host{--_accent-text:var(--pay-invoice-accent-text,oklch(from color(from var(--_accent)xyz y y y)calc(57e3 - l*1e5)0 0/1));--_ink:light-dark(oklch(from var(--_accent)min(l,.5) c h/1),oklch(from var(--_accent)max(l,.75) c h/1))}}';

/** The same for a page around the widget, whose properties have the names without the underscore. */
export const accentRolesOf = (root: string): string => accentRoles.replace(':host', root).replaceAll('--_', '--');
