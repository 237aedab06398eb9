// A Vite plugin of the standalone build: leaves out what Lit has for browsers that cannot construct style sheets.
import type { Plugin } from 'vite';

/** Every supported browser can construct them, and the widget adopts its own (`payment-screens-loader.ts`). */
const tagOfStyles = `
export const unsafeCSS = (cssText) => ({ cssText, toString: () => cssText });
export const getCompatibleStyle = (style) => style;
export const adoptStyles = () => undefined;
export const supportsAdoptingStyleSheets = true;
export const css = unsafeCSS;
export class CSSResult {}
`;

export function withoutStyleFallback(): Plugin {
  let isFound = false;
  return {
    name: 'without-style-fallback',
    apply: 'build',
    transform: {
      filter: { id: /@lit\/reactive-element\/css-tag\.js$/ },
      handler() {
        isFound = true;
        return { code: tagOfStyles, map: null };
      },
    },
    buildEnd() {
      if (!isFound) throw new Error('Lit has its tag of style sheets in another file');
    },
  };
}
