// Runs Vite (middleware mode) in front of web-test-runner's own server, so tests see the same
// Oxc transform, tsconfig and dependency pre-bundling as `vite dev` / `vite build`.
import { createServer } from 'vite';

const WTR = /^\/(__web-|__wtr|__puppeteer)/;

export async function viteForWtr(inline = {}) {
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    clearScreen: false,
    logLevel: 'warn',
    cacheDir: 'node_modules/.vite-wtr',
    ...inline,
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    plugins: [
      // virtual modules served by web-test-runner itself
      { name: 'wtr-virtual', enforce: 'pre', resolveId: (id) => (WTR.test(id) ? { id, external: true } : undefined) },
      ...(inline.plugins ?? []),
    ],
    optimizeDeps: {
      entries: ['src/**/*.ts', 'test/**/*.test.ts'],
      ...inline.optimizeDeps,
      exclude: ['@web/test-runner-commands', ...(inline.optimizeDeps?.exclude ?? [])],
    },
  });
  return {
    middleware: (ctx, next) => {
      if (ctx.path === '/' || WTR.test(ctx.path)) return next();
      return new Promise((resolve, reject) => {
        ctx.respond = false; // vite writes the response
        ctx.res.statusCode = 200;
        ctx.res.once('close', resolve);
        vite.middlewares(ctx.req, ctx.res, (err) => {
          ctx.respond = true;
          ctx.res.statusCode = 404;
          ctx.res.off('close', resolve);
          if (err) reject(err);
          else resolve(next());
        });
      });
    },
    plugin: { name: 'vite', serverStop: () => vite.close() },
  };
}
