import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Problem, type Route } from './dispatch-request.ts';

/** The name of a chunk, which contains a hash of the chunk's content: `pay-invoice.en-DNNy1xN9.js`. */
const hashedNamePattern = /-[\w-]{8}\.js$/;

/** The widget's files are missing. The message says what to do. */
export class WidgetMissingError extends Error {
  override readonly name = 'WidgetMissingError';
}

interface WidgetFile {
  readonly etag: string;
  readonly cacheControl: string;
  /** Returns the content in an encoding; each encoding is computed once. */
  readonly content: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>;
}

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: (content) => Promise.resolve(content),
};

/** Responds to a GET of one of the widget's files; returns undefined for any other path. */
export type WidgetHandler = (request: Request) => Promise<Response> | undefined;

/**
 * Serves the widget's files, `/pay-invoice.js` and the chunks that it loads, to pages of any origin. The files are compressed.
 * Browsers cache a file for a year when its name contains a hash of its content.
 * @param folder - the package's `dist/cdn`; when it does not exist, no file is served
 */
export function createWidgetHandler(folder: string): WidgetHandler {
  const files = new Map(listScripts(folder).map((name) => [`/${name}`, readWidgetFile(folder, name)]));
  return (request) => {
    const file = files.get(new URL(request.url).pathname);
    return file && respond(file, request);
  };
}

/**
 * Creates the route of the widget's files.
 * @throws WidgetMissingError
 */
export function widgetRoute(folder: string): Route {
  if (!listScripts(folder).includes('pay-invoice.js'))
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

function listScripts(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : [];
}

function readWidgetFile(folder: string, name: string): WidgetFile {
  const content = readFileSync(join(folder, name));
  const compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  return {
    etag: `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    cacheControl: hashedNamePattern.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    content(encoding) {
      const earlierCompression = compressed.get(encoding);
      if (earlierCompression !== undefined) return earlierCompression;
      const compression = compressors[encoding](content).then((bytes) => new Uint8Array(bytes));
      compressed.set(encoding, compression);
      return compression;
    },
  };
}

async function respond({ etag, cacheControl, content }: WidgetFile, { headers }: Request): Promise<Response> {
  const commonHeaders = {
    etag,
    vary: 'accept-encoding',
    'cache-control': cacheControl,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
  const knownETags = (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (knownETags.includes(etag)) return new Response(null, { status: 304, headers: commonHeaders });
  const encoding = chooseEncoding(headers.get('accept-encoding') ?? '');
  return new Response(await content(encoding), {
    headers: {
      ...commonHeaders,
      'content-type': 'text/javascript; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  });
}

/** Returns the best encoding that `Accept-Encoding` allows. */
function chooseEncoding(acceptEncoding: string): Encoding {
  const acceptedEncodings = new Map(
    acceptEncoding.split(',').map((item) => {
      const [name = '', ...params] = item.split(';').map((part) => part.trim().toLowerCase());
      return [name, !params.some((param) => /^q=0(?:\.0*)?$/.test(param))];
    }),
  );
  return (['br', 'gzip'] as const).find((encoding) => acceptedEncodings.get(encoding) === true) ?? 'identity';
}
