import type { Plugin } from 'vite';

/** A style sheet without comments, needless white space, zeros before a point, and quotes around names. */
export function minifyCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>!]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .replace(/(?<![\d.])0\.(?=\d)/g, '.')
    .replace(/='([a-z]+)'\]/g, '=$1]')
    .trim();
}

/**
 * Minifies the style sheets that stand in `css` template literals of `*.styles.ts` files, for the build alone. With
 * nothing to fill in they need no template function, which is then left out of the file.
 */
export function minifyCssLiterals(): Plugin {
  return {
    name: 'minify-css-literals',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.styles.ts')) return null;
      const short = code
        .replace("import { css } from 'lit'", "import { unsafeCSS } from 'lit'")
        .replace(/css`([^`]*)`/g, (_, css: string) => `unsafeCSS(\`${minifyCss(css)}\`)`);
      return { code: short, map: null };
    },
  };
}
