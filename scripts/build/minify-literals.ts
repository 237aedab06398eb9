// Minifies the style sheets in `css` literals and the markup in `html` literals, which the bundler does not minify. The package
// minify-literals 2.2 (lightningcss and html-minifier-next) is not used: with it the standalone file is 196 bytes larger, and it
// needs Node 22.
import { Visitor, type Plugin } from 'vite';

/** Removes comments, needless white space, zeros before a point and quotes around names from a style sheet. */
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
      const minified = code
        .replace("import { css } from 'lit'", "import { unsafeCSS } from 'lit'")
        .replace(/(?:css|unsafeCSS\()`([^`]*)`\)?/g, (_, css: string) => `unsafeCSS(\`${minifyCss(css)}\`)`);
      return { code: minified, map: null };
    },
  };
}

/** Stands for an expression while the strings of a template are joined to one text. */
const expressionPlaceholder = '\uE000';

const tagPattern = /(<\/?[a-z][^>]*>)/;
/** Tags of elements that are not inline: white space next to these tags is not rendered. */
const blockTagPattern = /^<\/?(?:div|dl|dt|dd|ul|li|p|h2|h3|h4|form|label|svg|path|progress|slot)\b/;
/** White space with a line break at the start or end of a template, which only formats the source. */
const outerLayout = /^\s*\n\s*|\s*\n\s*$/g;

function squeezeTag(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ >$/, '>')
    .replace(/^(<(?:input|wbr)\b.*?) ?\/>$/, '$1>')
    .replace(/="([\w-]+)"(?=[ >])/g, '=$1');
}

/** Removes white space that is not rendered from the strings of an `html` template; other white space becomes one space. */
export function minifyHtml(strings: readonly string[]): string[] {
  const parts = strings.join(expressionPlaceholder).replace(outerLayout, '').split(tagPattern);
  const squeezeText = (text: string, index: number): string => {
    const trimmedStart = blockTagPattern.test(parts[index - 1] ?? '') ? text.trimStart() : text;
    const trimmed = blockTagPattern.test(parts[index + 1] ?? '') ? trimmedStart.trimEnd() : trimmedStart;
    return trimmed.replace(/\s+/g, ' ');
  };
  return parts
    .map((part, index) => (index % 2 === 1 ? squeezeTag(part) : squeezeText(part, index)))
    .join('')
    .split(expressionPlaceholder);
}

/** Minifies `html` template literals in the build. The line breaks of a string move to its end, so that line numbers stay correct. */
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
          minifyHtml(strings).forEach((minified, index) => {
            const { start: from = 0, end = 0, tail = true } = quasis[index] ?? {};
            const closingText = tail ? '`' : '${';
            const lineBreaks = code.slice(from, end).replace(/[^\n]/g, '');
            edits.push({ from, to: end + closingText.length, text: minified + closingText + lineBreaks });
          });
        },
      }).visit(this.parse(code));
      const editsFromEnd = edits.sort((a, b) => b.from - a.from);
      const minified = editsFromEnd.reduce(
        (text, { from, to, text: replacement }) => text.slice(0, from) + replacement + text.slice(to),
        code,
      );
      return { code: minified, map: null };
    },
  };
}
