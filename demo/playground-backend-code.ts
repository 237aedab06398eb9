import type { Settings } from './generate-playground-code.ts';

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
