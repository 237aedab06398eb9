import { runConformance, type ConformanceOptions, type Report } from '../../src/conformance.ts';
import type { CheckoutServer } from '../../src/server.ts';
import type { Listening } from '../mounts/listen.ts';
import { allowedOrigin, orderParams, sandboxUrl, startTestedBackend, token } from './run-conformance-in-process.ts';

/** Runs the conformance checks over a socket and in real time, with our server and our sandbox in this process. */
export async function runConformanceOverHttp(
  mount: (checkouts: CheckoutServer) => Promise<Listening>,
  options: Partial<ConformanceOptions> = {},
): Promise<Report> {
  const { sandbox, checkouts } = startTestedBackend();
  const { endpoint, close } = await mount(checkouts);
  const ids = new Map<string, string>();
  try {
    return await runConformance({
      endpoint,
      sandbox: sandboxUrl,
      token,
      allowedOrigin,
      open: async (kind) => {
        const { id, capability } = await checkouts.create(orderParams(kind, ids.size));
        ids.set(capability, id);
        return capability;
      },
      close: async (capability) => {
        await checkouts.close(ids.get(capability) ?? '');
      },
      ports: { fetch: (request) => (request.url.startsWith(sandboxUrl) ? sandbox.fetch(request) : fetch(request)) },
      ...options,
    });
  } finally {
    await checkouts.stop();
    await close();
    await sandbox.close();
  }
}
