// A Vite plugin of the build for browsers: leaves out of Lit what the supported browsers never use.
import type { Plugin } from 'vite';

/**
 * In place of Lit's style sheets: every supported browser (Chrome 105, Safari 16.4, Firefox 115) has constructable style
 * sheets, so nothing falls back to `<style>`. A sheet is parsed when it is defined. `styleSheet` is read for subclasses that bring another copy of Lit.
 */
const styleSheetModule = `
export const unsafeCSS = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
};
export const css = ([text]) => unsafeCSS(text);
export const supportsAdoptingStyleSheets = true;
export const adoptStyles = (root, styles) => {
  root.adoptedStyleSheets = styles.map((style) => style.styleSheet ?? style);
};
export const getCompatibleStyle = (style) => style;
export class CSSResult {}
`;

/** Expressions that are left out of each file: hooks for polyfills of the shadow DOM, and Lit's list of its versions on the page. */
const omittedExpressions: Readonly<Record<string, readonly RegExp[]>> = {
  '@lit/reactive-element/reactive-element.js': [
    /\w+\.reactiveElementPolyfillSupport\b/,
    /\w+\?\.\(\{ReactiveElement:\w+\}\)/,
    /\(\w+\.reactiveElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
  ],
  'lit-html/lit-html.js': [
    /\w+\.litHtmlPolyfillSupport\b/,
    /\w+\?\.\(\w,\w\)(?=,\(\w+\.litHtmlVersions)/,
    /\(\w+\.litHtmlVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
  ],
  'lit-element/lit-element.js': [
    /\w+\.litElementPolyfillSupport\b/,
    /(?<=;)\w+\?\.\(\{LitElement:\w+\}\)/,
    /\(\w+\.litElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
  ],
};

/** Removes Lit's fallbacks. Fails when an expression is not found, so that an update of Lit cannot bring it back unnoticed. */
export function litWithoutFallbacks(): Plugin {
  return {
    name: 'lit-without-fallbacks',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const file = id.split('/node_modules/').at(-1) ?? '';
      if (file === '@lit/reactive-element/css-tag.js') return { code: styleSheetModule, map: null };
      const expressions = omittedExpressions[file];
      if (!expressions) return null;
      const codeWithoutFallbacks = expressions.reduce((text, expression) => {
        if (!expression.test(text)) throw new Error(`${file}: ${String(expression)} is not found`);
        return text.replace(expression, '0');
      }, code);
      return { code: codeWithoutFallbacks, map: null };
    },
  };
}
