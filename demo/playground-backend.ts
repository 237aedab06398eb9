import type { Settings } from './playground-code.ts';

/** The files that the playground shows as code of the backend, by the names of its choice. */
export const backendFiles = {
  'Node.js': 'docs/integrating.md',
  'PHP: shop.php': 'examples/php/shop.php',
  'PHP: outcomes.php': 'examples/php/outcomes.php',
  'Python: shop.py': 'examples/python/shop.py',
  'Python: outcomes.py': 'examples/python/outcomes.py',
  curl: 'examples/curl/create-checkout.sh',
} as const;

export type BackendFile = keyof typeof backendFiles;

/** The amount and the currency of the order in every one of the files; the first choice of the playground. */
export const defaultOrder = { amount: '1500.00', currency: 'RUB' };

/** A block of a document that shows a TypeScript file which creates the checkout server. */
const serverBlock = /`[\w./-]+\.ts`:\n\n```ts\n((?:(?!```)[^])*createCheckoutServer\([^]*?)```/;

/** The code of a file for the order that is set. `text` is the whole file; of a document it is the block with the server. */
export function backendCodeOf(text: string, settings: Settings): string {
  const code = text.includes('\n```') ? serverBlock.exec(text)?.[1] : text;
  if (code === undefined) throw new Error('the document shows no server');
  return code
    .replaceAll(defaultOrder.amount, settings.get('amount') ?? defaultOrder.amount)
    .replaceAll(/\bRUB\b/g, settings.get('currency') ?? defaultOrder.currency);
}
