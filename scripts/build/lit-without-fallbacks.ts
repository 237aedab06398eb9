// A Vite plugin of the build for browsers: leaves out of Lit what the browsers that run the build never use.
import type { Plugin } from 'vite';

/**
 * In place of Lit's style sheets: every supported browser (Chrome 105, Safari 16.4, Firefox 115) has constructable style
 * sheets, so nothing falls back to `<style>`. A sheet is parsed when it is defined. `styleSheet` is read for subclasses that bring another copy of Lit.
 */
const styleSheets = `
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

/** A part of a file, and what takes its place: 0, where nothing else is named. */
type Omission = RegExp | readonly [part: RegExp, replacement: string];

/**
 * What no template of the widget has: expressions inside a script, style, textarea or title, expressions in the place of an
 * attribute or inside a comment, templates of SVG and MathML, and templates that a compiler has prepared.
 */
const unusedInTemplates: readonly Omission[] = [
  [/if\(y\.test\(r\.tagName\)\)\{.*?(?=\}else if\(8===r\.nodeType\))/, ''],
  [/\(y\.test\(u\[2\]\)&&\(n=RegExp\("<\/"\+u\[2\],"g"\)\),c=p\)/, 'c=p'],
  [/(?<=c=)n\?\?v/, 'v'],
  [/\(c=p,n=void 0\)/, 'c=p'],
  [/y=\/\^[^,]*\$\/i,/, ''],
  [/2===i\?"<svg>":3===i\?"<math>":""/, '""'],
  [/\+\(2===i\?"<\/svg>":3===i\?"<\/math>":""\)/, ''],
  [/,2===i\|\|3===i\)\{const t=this\.el\.content\.firstChild;t\.replaceWith\(\.\.\.t\.childNodes\)\}/, ',0);'],
  [/else t\.startsWith\(o\)&&\(d\.push\(\{type:6,index:l\}\),r\.removeAttribute\(t\)\);/, ''],
  [/:6===r\.type&&\(i=new Z\(h,this,t\)\)/, ':0'],
  [/class Z\{.*?(?=const j=)/, ''],
  [/,F:Z(?=\})/, ''],
  [/else\{let t=-1;for\(;-1!==\(t=r\.data\.indexOf\(o,t\+1\)\);\)d\.push\(\{type:7,index:l\}\),t\+=o\.length-1\}/, ''],
  [/"number"==typeof s\?this\._\$AC\(t\):\(void 0===s\.el.*?,s\)/, 'this._$AC(t)'],
];

/** What a template with such a part has in its source. */
const notSupported = /<(script|style|textarea|title)\b|\b(svg|mathml)`/;

/** What is left out of each file: hooks for polyfills of the shadow DOM, Lit's list of its versions on the page, and the above. */
const omitted: Readonly<Record<string, readonly Omission[]>> = {
  '@lit/reactive-element/reactive-element.js': [
    /\w+\.reactiveElementPolyfillSupport\b/,
    /\w+\?\.\(\{ReactiveElement:\w+\}\)/,
    /\(\w+\.reactiveElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
  ],
  'lit-html/lit-html.js': [
    /\w+\.litHtmlPolyfillSupport\b/,
    /\w+\?\.\(\w,\w\)(?=,\(\w+\.litHtmlVersions)/,
    /\(\w+\.litHtmlVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
    ...unusedInTemplates,
  ],
  'lit-element/lit-element.js': [
    /\w+\.litElementPolyfillSupport\b/,
    /(?<=;)\w+\?\.\(\{LitElement:\w+\}\)/,
    /\(\w+\.litElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
  ],
};

/** Removes Lit's fallbacks. Fails where a part is not found, so that an update of Lit does not bring it back unnoticed. */
export function litWithoutFallbacks(): Plugin {
  return {
    name: 'lit-without-fallbacks',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const file = id.split('/node_modules/').at(-1) ?? '';
      if (file === '@lit/reactive-element/css-tag.js') return { code: styleSheets, map: null };
      if (id.includes('/src/view/') && notSupported.test(code))
        throw new Error(`${id}: this template needs a part of Lit that is left out`);
      const parts = omitted[file];
      if (!parts) return null;
      const short = parts.reduce((text, omission) => {
        const [part, replacement] = omission instanceof RegExp ? [omission, '0'] : omission;
        if (!part.test(text)) throw new Error(`${file}: ${String(part)} is not found`);
        return text.replace(part, () => replacement);
      }, code);
      return { code: short, map: null };
    },
  };
}
