import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { listen } from '../mounts/listen.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Serves a folder's files under a path, such as `/some/where/`, with no header but `content-type`. */
export async function serveFiles(folder: string, basePath: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = normalize(pathname.slice(basePath.length)) || '.';
    const path = join(folder, name.endsWith('/') || name === '.' ? `${name}/index.html` : name);
    const content = pathname.startsWith(basePath) ? readFile(path) : Promise.reject(new Error('not under the path'));
    content.then(
      (bytes) =>
        response.setHeader('content-type', contentTypes[extname(path)] ?? 'application/octet-stream').end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  const { endpoint: url, close } = await listen(server, basePath);
  return { url, close };
}
