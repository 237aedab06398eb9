import { css } from 'lit';

/** The public custom properties, mapped once to private ones; colours for light and dark. */
export const tokens = css`
  :host {
    --_accent: var(--pay-invoice-accent, light-dark(#3451d1, #9db0ff));
    --_on-accent: var(--pay-invoice-accent-text, light-dark(#fff, #0c1230));
    --_text: var(--pay-invoice-text, light-dark(#141824, #f1f3f8));
    --_muted: var(--pay-invoice-muted, light-dark(#586174, #a3adbf));
    --_surface: var(--pay-invoice-surface, light-dark(#fff, #171a21));
    --_border: var(--pay-invoice-border, light-dark(#e1e5ec, #313744));
    --_danger: var(--pay-invoice-danger, light-dark(#b3261e, #ff9c94));
    --_success: var(--pay-invoice-success, light-dark(#0f7448, #63d8a0));
    --_radius: var(--pay-invoice-radius, 1rem);
    --_space: var(--pay-invoice-space, 1rem);
    --_tint: color-mix(in srgb, var(--_accent) 7%, var(--_surface));
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

  /* Older browsers get the system's colours, flat, where a page does not set its own. */
  @supports not (color: light-dark(red, red)) {
    :host {
      --_accent: var(--pay-invoice-accent, LinkText);
      --_on-accent: var(--pay-invoice-accent-text, Canvas);
      --_text: var(--pay-invoice-text, CanvasText);
      --_surface: var(--pay-invoice-surface, Canvas);
      --_border: var(--pay-invoice-border, CanvasText);
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
