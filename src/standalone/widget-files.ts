import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { acceptedEncoding, compressAs, type EncodedBody } from './compress.ts';

/** The name of a chunk, which contains a hash of the chunk's content: `pay-invoice.en-DNNy1xN9.js`. */
const hashedNamePattern = /-[\w-]{8}\.js$/;

/** The widget's files are missing. The message says what to do. */
export class WidgetMissingError extends Error {
  override readonly name = 'WidgetMissingError';
}

/** Responds to a GET of one of the widget's files, and with 404 to any other path. */
export type WidgetHandler = (request: Request) => Promise<Response>;

/**
 * Serves the widget's files, `/pay-invoice.js` and the chunks that it loads, to pages of any origin. The files are compressed.
 * Browsers cache a file for a year when its name contains a hash of its content.
 * @param folder - the package's `dist/cdn` by default, which must have been built; of another folder that does not exist, no file is served
 * @throws Error `MODULE_NOT_FOUND` - the package has no `dist/cdn`
 * @example
 * ```ts
 * import { createWidgetHandler } from 'pay-invoice/standalone';
 *
 * const widget = createWidgetHandler();
 * await widget(new Request('https://shop.example/pay-invoice.js'));
 * ```
 */
export function createWidgetHandler(folder: string = packageWidgetFolder()): WidgetHandler {
  const app = new Hono();
  app.use(etag({ weak: true, retainedHeaders: ['access-control-allow-origin', 'cache-control', 'etag', 'vary'] }));
  for (const name of listScripts(folder)) {
    const content = readFileSync(join(folder, name));
    const compressed = new Map<string, Promise<EncodedBody>>();
    app.get(`/${name}`, async (c) => {
      const encodingName = acceptedEncoding(c.req.raw);
      const encoded = compressed.get(encodingName) ?? compressAs(encodingName, content);
      compressed.set(encodingName, encoded);
      const { body, encoding } = await encoded;
      return c.body(body, 200, {
        vary: 'accept-encoding',
        'cache-control': hashedNamePattern.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/javascript; charset=utf-8',
        ...encoding,
      });
    });
  }
  return async (request) => app.fetch(request);
}

const packageWidgetFolder = (): string =>
  dirname(createRequire(import.meta.url).resolve('pay-invoice/cdn/pay-invoice.js'));

/** @throws WidgetMissingError */
export function requireWidget(folder: string): void {
  if (!listScripts(folder).includes('pay-invoice.js'))
    throw new WidgetMissingError(`${folder} has no pay-invoice.js: install the package again, or run npm run build`);
}

function listScripts(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];
}
