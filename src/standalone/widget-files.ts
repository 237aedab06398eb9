import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { etag } from 'hono/etag';

/** The name of a chunk, which contains a hash of the chunk's content: `pay-invoice.en-DNNy1xN9.js`. */
const hashedNamePattern = /-[\w-]{8}\.js$/;

/** The widget's files are missing. The message says what to do. */
export class WidgetMissingError extends Error {
  override readonly name = 'WidgetMissingError';
}

type Compress = (content: Buffer) => Promise<Buffer>;

/** In the order of preference. hono's own compression has no brotli, which saves a tenth of the widget. */
const compressors: ReadonlyMap<string, Compress> = new Map<string, Compress>([
  ['br', (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })], // prettier-ignore
  ['gzip', (content) => promisify(gzip)(content, { level: 9 })],
  ['identity', (content) => Promise.resolve(content)],
]);

/** Responds to a GET of one of the widget's files, and with 404 to any other path. */
export type WidgetHandler = (request: Request) => Response | Promise<Response>;

/**
 * Serves the widget's files, `/pay-invoice.js` and the chunks that it loads, to pages of any origin. The files are compressed.
 * Browsers cache a file for a year when its name contains a hash of its content.
 * @param folder - the package's `dist/cdn`; when it does not exist, no file is served
 */
export function createWidgetHandler(folder: string): WidgetHandler {
  const app = widgetApp(folder);
  return (request) => app.fetch(request);
}

/** @throws WidgetMissingError */
export function requireWidget(folder: string): void {
  if (!listScripts(folder).includes('pay-invoice.js'))
    throw new WidgetMissingError(`${folder} has no pay-invoice.js: install the package again, or run npm run build`);
}

function listScripts(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];
}

function widgetApp(folder: string): Hono {
  const app = new Hono();
  app.use(etag({ weak: true, retainedHeaders: ['access-control-allow-origin', 'cache-control', 'etag', 'vary'] }));
  for (const name of listScripts(folder)) {
    const content = readFileSync(join(folder, name));
    const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
    app.get(`/${name}`, async (c) => {
      const supports = [...compressors.keys()];
      const encoding = accepts(c, { header: 'Accept-Encoding', supports, default: 'identity', match: bestEncoding });
      const compress = compressors.get(encoding);
      const body = compressed.get(encoding) ?? compress?.(content).then((bytes) => new Uint8Array(bytes));
      if (body === undefined) return c.notFound();
      compressed.set(encoding, body);
      return c.body(await body, 200, {
        vary: 'accept-encoding',
        'cache-control': hashedNamePattern.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/javascript; charset=utf-8',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      });
    });
  }
  return app;
}

interface AcceptedEncoding {
  readonly type: string;
  readonly q: number;
}

/** Returns our first encoding that `Accept-Encoding` allows: all browsers weigh theirs alike. */
function bestEncoding(accepted: readonly AcceptedEncoding[]): string {
  const allowed = accepted.filter(({ q }) => q > 0).map(({ type }) => type.toLowerCase());
  return [...compressors.keys()].find((encoding) => allowed.includes(encoding)) ?? 'identity';
}
