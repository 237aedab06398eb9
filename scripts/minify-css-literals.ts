import type { Plugin } from 'vite';

/** A style sheet without comments and needless white space. */
export function minifyCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim();
}

/** Minifies the style sheets that stand in `css` template literals of `*.styles.ts` files, for the build alone. */
export function minifyCssLiterals(): Plugin {
  return {
    name: 'minify-css-literals',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.styles.ts')) return null;
      return { code: code.replace(/css`([^`]*)`/g, (_, css: string) => `css\`${minifyCss(css)}\``), map: null };
    },
  };
}
