// Vite in middleware mode in front of the test runner's own server: tests use the transform, the configuration and the
// dependencies of development and build.
import { createServer } from 'vite';

const runnerPaths = /^\/(__web-|__wtr|__puppeteer)/;

/** Takes the place of Vite's client, which would wait for a web socket: of an import of a variable URL, Vite asks it to add a query. */
const clientModule = 'export const injectQuery = (url) => url;';

export async function viteForWtr() {
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    clearScreen: false,
    logLevel: 'warn',
    cacheDir: 'node_modules/.vite-wtr',
    // No file changes during a run: a page takes from the browser's cache what an earlier one has loaded.
    server: { middlewareMode: true, hmr: false, ws: false, watch: null, headers: { 'Cache-Control': 'max-age=3600' } },
    plugins: [
      {
        name: 'runner-modules',
        enforce: 'pre',
        resolveId: (id) => (runnerPaths.test(id) ? { id, external: true } : undefined),
      },
    ],
    optimizeDeps: { entries: ['test/view/**/*.test.ts'], exclude: ['@web/test-runner-commands'] },
  });

  const middleware = (context, next) => {
    if (context.path === '/' || runnerPaths.test(context.path)) return next();
    if (context.path === '/@vite/client') {
      context.type = 'text/javascript';
      context.body = clientModule;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      context.respond = false; // Vite writes the response.
      context.res.statusCode = 200;
      context.res.once('close', resolve);
      vite.middlewares(context.req, context.res, (error) => {
        context.respond = true;
        context.res.statusCode = 404;
        context.res.off('close', resolve);
        if (error) reject(error);
        else resolve(next());
      });
    });
  };
  return { middleware, plugin: { name: 'vite', serverStop: () => vite.close() } };
}
