// Minifies what the bundler does not: the style sheets in `css` literals and the markup in `html` literals. The package
// minify-literals 2.2 (lightningcss and html-minifier-next) is not used: with it the standalone file is 196 bytes larger, and it
// needs Node 22.
import { Visitor, type Plugin } from 'vite';

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
 * Minifies the style sheets that stand in `css` template literals of `*.styles.ts` files, for the build alone. A literal
 * without expressions needs no template function, which is then left out of the file. The value of an expression must be a
 * string, in a template that is passed to `unsafeCSS`.
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
        .replace(/(?:css|unsafeCSS\()`([^`]*)`\)?/g, (_, css: string) => `unsafeCSS(\`${minifyCss(css)}\`)`);
      return { code: short, map: null };
    },
  };
}

/** Replaces the expressions while the strings of a template are one text. */
const hole = '\uE000';

const tag = /(<\/?[a-z][^>]*>)/;
/** Elements that never stand inside a line of text: white space beside their tags is not shown. */
const block = /^<\/?(?:div|dl|dt|dd|ul|li|p|h2|h3|h4|form|label|svg|path|progress|slot)\b/;
/** White space with a line break at an end of the template is layout of the source. */
const outerLayout = /^\s*\n\s*|\s*\n\s*$/g;

function squeezeTag(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ >$/, '>')
    .replace(/^(<(?:input|wbr)\b.*?) ?\/>$/, '$1>')
    .replace(/="([\w-]+)"(?=[ >])/g, '=$1');
}

/** The strings of an `html` template without white space that is not shown; what may be shown becomes one space. */
export function minifyHtml(strings: readonly string[]): string[] {
  const parts = strings.join(hole).replace(outerLayout, '').split(tag);
  const squeezeText = (text: string, index: number): string => {
    const start = block.test(parts[index - 1] ?? '') ? text.trimStart() : text;
    const both = block.test(parts[index + 1] ?? '') ? start.trimEnd() : start;
    return both.replace(/\s+/g, ' ');
  };
  return parts
    .map((part, index) => (index % 2 === 1 ? squeezeTag(part) : squeezeText(part, index)))
    .join('')
    .split(hole);
}

/** Minifies `html` template literals for the build alone. Line breaks move behind their string, so that lines keep their numbers. */
export function minifyHtmlLiterals(): Plugin {
  return {
    name: 'minify-html-literals',
    apply: 'build',
    transform(code, id) {
      if (!id.includes('/src/view/') || !code.includes('html`')) return null;
      const edits: { from: number; to: number; text: string }[] = [];
      new Visitor({
        TaggedTemplateExpression({ tag: name, quasi: { quasis } }) {
          if (name.type !== 'Identifier' || name.name !== 'html') return;
          const strings = quasis.map(({ start, end }) => code.slice(start, end));
          minifyHtml(strings).forEach((short, index) => {
            const { start: from = 0, end = 0, tail = true } = quasis[index] ?? {};
            const close = tail ? '`' : '${';
            const breaks = code.slice(from, end).replace(/[^\n]/g, '');
            edits.push({ from, to: end + close.length, text: short + close + breaks });
          });
        },
      }).visit(this.parse(code));
      const lastFirst = edits.sort((a, b) => b.from - a.from);
      const short = lastFirst.reduce(
        (text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to),
        code,
      );
      return { code: short, map: null };
    },
  };
}
