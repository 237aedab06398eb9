// The code that the playground shows: the page's, and the backend's.

/** The values of the fields that differ from their defaults, by the fields' names. */
export type Settings = ReadonlyMap<string, string>;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => escapes[char] ?? char);

/** The settings whose names begin with a prefix, without the prefix. */
export const settingsWithPrefix = (settings: Settings, prefix: string): readonly (readonly [string, string])[] =>
  [...settings].flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []));

/** The page's code for the settings: the tag, its style sheet, and the merchant's own texts. */
export function codeOf(settings: Settings): string {
  const attributes = ['lang', 'theme', 'method', 'phone-url', 'return-after'].flatMap((name) => {
    const value = settings.get(name);
    return value === undefined ? [] : [` ${name}="${escapeHtml(value)}"`];
  });
  for (const name of ['page-title', 'auto-continue']) if (settings.has(name)) attributes.push(` ${name}`);
  const slots = settingsWithPrefix(settings, 'slot.').map(
    ([name, text]) => `  <p slot="${name}">${escapeHtml(text)}</p>\n`,
  );
  const inside = slots.length === 0 ? '' : `\n${slots.join('')}`;
  const parts = [
    '<script type="module" src="/pay-invoice.js"></script>',
    `<pay-invoice endpoint="/checkout" checkout="chk_…"${attributes.join('')}>${inside}</pay-invoice>`,
    styleOf(settings),
    wordingOf(settings),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function styleOf(settings: Settings): string {
  const width = settings.get('width');
  const rules = [
    ...(width === undefined ? [] : [`    max-width: ${width.replaceAll('<', '\\3c ')};`]),
    ...settingsWithPrefix(settings, '--').map(([name, value]) => `    --${name}: ${value.replaceAll('<', '\\3c ')};`),
  ];
  return rules.length === 0 ? '' : `<style>\n  pay-invoice {\n${rules.join('\n')}\n  }\n</style>`;
}

function wordingOf(settings: Settings): string {
  const messages = settingsWithPrefix(settings, 'messages.');
  if (messages.length === 0) return '';
  const text = JSON.stringify(Object.fromEntries(messages), null, 2)
    .replaceAll('<', '\\u003c')
    .replaceAll('\n', '\n  ');
  return `<script type="module">\n  document.querySelector('pay-invoice').messages = ${text};\n</script>`;
}

/** The files that the playground shows as code of the backend, by their names in its select box. */
export const backendFiles = {
  'Node.js': 'docs/integrating.md',
  'PHP: shop.php': 'examples/php/shop.php',
  'PHP: outcomes.php': 'examples/php/outcomes.php',
  'Python: shop.py': 'examples/python/shop.py',
  'Python: outcomes.py': 'examples/python/outcomes.py',
  curl: 'examples/curl/create-checkout.sh',
} as const;

export type BackendFile = keyof typeof backendFiles;

/** The amount and the currency of the order in all these files, and the playground's defaults. */
export const defaultOrder = { amount: '1500.00', currency: 'RUB' };

/** Matches a code block of a Markdown document: a TypeScript file that creates the checkout server. */
const serverBlock = /`[\w./-]+\.ts`:\n\n```ts\n((?:(?!```)[^])*createCheckoutServer\([^]*?)```/;

/**
 * The code of a file, with the amount and the currency of the settings. `text` is the whole file. Of a Markdown document, only
 * the block with the server is returned. Throws when the document has no such block.
 */
export function backendCodeOf(text: string, settings: Settings): string {
  const code = text.includes('\n```') ? serverBlock.exec(text)?.[1] : text;
  if (code === undefined) throw new Error('the document shows no server');
  return code
    .replaceAll(defaultOrder.amount, settings.get('amount') ?? defaultOrder.amount)
    .replaceAll(/\bRUB\b/g, settings.get('currency') ?? defaultOrder.currency);
}
