import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Problem, type Route } from './router.ts';

/** A name with a hash of the content, as the build gives it to chunks: `pay-invoice.en-DNNy1xN9.js`. */
const hashedName = /-[\w-]{8}\.js$/;

/** The widget's files are missing. The message says what to do. */
export class WidgetMissingError extends Error {
  override readonly name = 'WidgetMissingError';
}

interface WidgetFile {
  readonly etag: string;
  readonly cacheControl: string;
  /** The content in an encoding, compressed once. */
  readonly content: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>;
}

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: (content) => Promise.resolve(content),
};

/** Serves a GET of one of the widget's files; undefined for any other path. */
export type WidgetHandler = (request: Request) => Promise<Response> | undefined;

/**
 * Serves the widget's files, `/pay-invoice.js` and the chunks that it loads, to pages of any origin. They are compressed, and
 * browsers cache those with a hash of the content in their name for a year.
 * @param folder - the package's `dist/cdn`; while it is missing there are no files
 */
export function createWidgetHandler(folder: string): WidgetHandler {
  const files = new Map(scriptsIn(folder).map((name) => [`/${name}`, readWidgetFile(folder, name)]));
  return (request) => {
    const file = files.get(new URL(request.url).pathname);
    return file && respond(file, request);
  };
}

/**
 * The route of the widget's files.
 * @throws WidgetMissingError
 */
export function widgetRoute(folder: string): Route {
  if (!scriptsIn(folder).includes('pay-invoice.js'))
    throw new WidgetMissingError(`${folder} has no pay-invoice.js: install the package again, or run npm run build`);
  const serve = createWidgetHandler(folder);
  return {
    path: /^\/pay-invoice[\w.-]*\.js$/,
    methods: {
      GET({ request }) {
        const response = serve(request);
        if (response === undefined) throw new Problem('not_found');
        return response;
      },
    },
  };
}

function scriptsIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];
}

function readWidgetFile(folder: string, name: string): WidgetFile {
  const content = readFileSync(join(folder, name));
  const compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  return {
    etag: `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    cacheControl: hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    content(encoding) {
      const known = compressed.get(encoding);
      if (known !== undefined) return known;
      const made = compressors[encoding](content).then((bytes) => new Uint8Array(bytes));
      compressed.set(encoding, made);
      return made;
    },
  };
}

async function respond({ etag, cacheControl, content }: WidgetFile, { headers }: Request): Promise<Response> {
  const common = {
    etag,
    vary: 'accept-encoding',
    'cache-control': cacheControl,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
  const known = (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (known.includes(etag)) return new Response(null, { status: 304, headers: common });
  const encoding = encodingFor(headers.get('accept-encoding') ?? '');
  return new Response(await content(encoding), {
    headers: {
      ...common,
      'content-type': 'text/javascript; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  });
}

/** The best encoding that `Accept-Encoding` names without refusing it. */
function encodingFor(accepted: string): Encoding {
  const offered = new Map(
    accepted.split(',').map((item) => {
      const [name = '', ...params] = item.split(';').map((part) => part.trim().toLowerCase());
      return [name, !params.some((param) => /^q=0(?:\.0*)?$/.test(param))];
    }),
  );
  return (['br', 'gzip'] as const).find((encoding) => offered.get(encoding) === true) ?? 'identity';
}
