import { createServer } from 'vite';

/**
 * Serves the pages of the repository. `/pay-invoice.js` and the files that it loads are those in dist/cdn, which the package
 * ships, and not the source.
 */
export async function serveBuiltWidget(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = await createServer({
    configFile: false,
    publicDir: 'dist/cdn',
    cacheDir: 'node_modules/.vite-built',
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', hmr: false, ws: false },
  });
  await server.listen();
  const [url = ''] = server.resolvedUrls?.local ?? [];
  return { url, close: () => server.close() };
}
