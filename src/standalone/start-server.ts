import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMetrics,
  toNodeListener,
  type Log,
  type CheckoutServer,
  type CheckoutServerOptions,
  type ProxyTrust,
} from '../server.ts';
import { closeServer, createDrain, createHttpServer, listen } from './http-server.ts';
import { createLog } from './run-program.ts';
import { openStore } from './open-store.ts';
import { createOutcomeSender, OutcomeRefusedError } from './outcome-webhook.ts';
import { createPayPage } from './pay-page/handle-pay-page-request.ts';
import { serveMetrics, servePrivatePort } from './metrics-port.ts';
import { createAdminApp, createWebApp, listenerOf, type HandleRequest } from './routes.ts';
import type { ServerEnvironment } from './environment/server-environment.ts';
import { startSandbox } from './in-process-sandbox.ts';
import { trialLogos } from './trial-page.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { toError } from '../base/thrown-value.ts';

/** How long the deliveries of an outcome are repeated. */
const deliverForMs = 3 * 24 * 3_600_000;

/**
 * How long idle connections of a proxy stay open after the port was closed, in milliseconds: longer than the 4 s after which
 * a proxy that is set up as the documents say closes them itself.
 */
const proxyIdleMs = 4800;

export interface RunningServer {
  readonly url: string;
  /** The sandbox's address, or null with a real service. */
  readonly sandbox: string | null;
  /** The address of the metrics, or null without them. */
  readonly metrics: string | null;
  /** The address of the admin API when it has a port of its own, else null. */
  readonly admin: string | null;
  /** The token of the admin API when it was generated, else null. */
  readonly generatedToken: string | null;
  /** Finishes the running requests, then closes the servers and the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, starts the sandbox unless a service is configured, and listens.
 * @param widgetFolder - the folder of the widget's files, the package's `dist/cdn`
 */
export async function startServer(environment: ServerEnvironment, widgetFolder: string): Promise<RunningServer> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const log = createLog(environment.logLevel);
    const store = await openStore(environment, [], log);
    cleanups.push(() => store.close());
    const sandbox = environment.serviceUrl === undefined ? await startSandbox(environment) : null;
    if (sandbox !== null) cleanups.push(() => sandbox.close());
    const metrics = createMetrics();
    let isPolling = (): boolean => false;
    const isReady = async (): Promise<void> => {
      if (isClosing || !isPolling()) throw new Error('the server is starting, closing, or does not poll');
      await store.check();
    };
    const closeLater = <T extends { close(): Promise<void> } | undefined>(port: T): T => {
      if (port !== undefined) cleanups.push(() => port.close());
      return port;
    };
    // It is closed after the server, so that the metrics show the shutdown.
    const metricsPort = closeLater(await serveMetrics(environment, { metrics, isReady, log }));

    const server = createHttpServer();
    const url = await listen(server, environment.port, environment.host);
    const drain = createDrain(server);
    cleanups.push(() => closeServer(server, environment.trustedProxies > 0 ? proxyIdleMs : 0));
    const publicUrl = environment.publicUrl ?? url;
    const endpoint = `${publicUrl}/checkout`;
    const checkouts = createCheckoutServer({
      ...environment.options,
      timing: { deliverForMs, ...environment.options.timing },
      service: createInvoiceServiceClient({
        baseUrl: environment.serviceUrl ?? sandbox?.serviceUrl ?? '',
        token: environment.token,
        requestsPerSecond: environment.requestsPerSecond,
        metrics,
        log,
      }),
      store,
      endpoint,
      mode: environment.mode,
      onOutcome: createOutcomeHandler(environment),
      metrics,
      log,
    });
    const generatedToken = environment.adminTokens.length === 0 ? randomBytes(24).toString('base64url') : null;
    const tokens = generatedToken === null ? environment.adminTokens : [generatedToken];
    const packageFolder = join(widgetFolder, '../..');
    const { currencies = ['RUB'] } = environment.options;
    const admin = {
      checkouts,
      tokens,
      publicUrl,
      operatorPage: join(packageFolder, 'dist/operator/operator-page.js'),
      openApi: join(packageFolder, 'docs/openapi/server.json'),
      currencies,
      isTest: environment.mode === 'TEST',
      pageQr: environment.pageQr,
      log,
    };
    const { host } = environment;
    let adminUrl = publicUrl;
    const { accent, frameAncestors, pageQr, universalQr } = environment;
    const { methodLogos = sandbox === null ? undefined : trialLogos(publicUrl) } = environment.shop;
    const shop = { ...environment.shop, methodLogos };
    const payPage = createPayPage({ checkouts, endpoint, shop, accent, frameAncestors, pageQr, universalQr });
    const trial =
      sandbox === null
        ? undefined
        : {
            checkouts,
            publicUrl,
            adminUrl: () => adminUrl,
            sandboxUrl: sandbox.url,
            currency: currencies[0] ?? 'RUB',
            pageQr,
            packageFolder,
          };
    const publicAdmin = environment.adminPort === undefined ? admin : undefined;
    const handle = createWebApp({ trial, payPage, admin: publicAdmin, isReady, widgetFolder, log });
    // Before anything else is awaited: the port listens, and a request that comes before would never be answered.
    routeRequests(server, checkouts, handle, { trustedProxies: environment.trustedProxies });
    const adminPort = closeLater(await servePrivatePort(environment.adminPort, host, createAdminApp(admin, isReady)));
    adminUrl = adminPort?.url ?? publicUrl;
    checkouts.start();
    isPolling = () => checkouts.isPolling();
    const { purgeAfterDays: afterDays } = environment;
    const stopPurge = afterDays === undefined ? undefined : startDailyPurge({ checkouts, afterDays, log });
    cleanups.push(async () => {
      stopPurge?.();
      await drain();
      await checkouts.stop();
    });
    return {
      url: publicUrl,
      sandbox: sandbox?.url ?? null,
      metrics: metricsPort?.url ?? null,
      admin: adminPort?.url ?? null,
      generatedToken,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Creates the handler that sends outcomes to the receiver. Without a receiver, outcomes of a trial count as delivered, and so do
 * those that the shop reads from the feed. Others of a service do not: they are about money, and nobody has received them.
 */
export function createOutcomeHandler({
  receiver,
  serviceUrl,
  isFeedRead,
}: Pick<ServerEnvironment, 'receiver' | 'serviceUrl' | 'isFeedRead'>): CheckoutServerOptions['onOutcome'] {
  if (receiver !== undefined) return createOutcomeSender({ receiver });
  return () =>
    serviceUrl === undefined || isFeedRead
      ? Promise.resolve()
      : Promise.reject(new OutcomeRefusedError('OUTCOME_URL is not set'));
}

/** Routes requests. The checkout API bypasses the app of the other routes, because every waiting payer polls it. */
function routeRequests(
  server: Server,
  checkouts: Pick<CheckoutServer, 'handle'>,
  handle: HandleRequest,
  trust: ProxyTrust,
): void {
  const handleCheckout = toNodeListener(checkouts, trust);
  const handleOthers = listenerOf(handle, trust);
  server.on('request', (incoming, outgoing) => {
    const isCheckout = incoming.url?.startsWith('/checkout/') === true;
    (isCheckout ? handleCheckout : handleOthers)(incoming, outgoing);
  });
}

const dayMs = 24 * 3_600_000;
/** When the first purge runs after the start. The delay leaves time for the work that became due before the start. */
const firstPurgeDelayMs = 10 * 60_000;

interface DailyPurgeOptions {
  readonly checkouts: Pick<CheckoutServer, 'purge'>;
  /** The age in days from which settled checkouts are deleted. */
  readonly afterDays: number;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Deletes old settled checkouts ten minutes after the start, then once a day. Returns a function that cancels the next run. */
export function startDailyPurge({ checkouts, afterDays, log, clock = systemClock }: DailyPurgeOptions): () => void {
  const purge = (): void => {
    cancel = clock.schedule(dayMs, purge, true);
    checkouts.purge({ olderThan: clock.now() - afterDays * dayMs }).catch((error: unknown) => {
      // Only the error's name is logged: a database may put values of rows into the message.
      log('error', 'purge_failed', { error: toError(error).name });
    });
  };
  let cancel = clock.schedule(firstPurgeDelayMs, purge, true);
  return () => cancel();
}
