// The widget over a backend inside the page. Counts the timers and requests that a widget could leave behind.
import { makePendingCheckout, sbp } from '../../../demo/gallery-checkouts.ts';

/** Timers and requests under way in the page, and requests sent so far. */
export interface Counts {
  readonly timers: number;
  readonly openRequests: number;
  readonly sentRequests: number;
}

export interface Life {
  /** Mounts and removes a widget `times` times. Every second widget is removed before its first response. */
  mount(times: number): Promise<void>;
  counts(): Counts;
}

declare global {
  var life: Life;
}

const timers = new Set<unknown>();
let openRequests = 0;
let sentRequests = 0;
let isResponseHeld = false;

const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
globalThis.setTimeout = ((callback: () => void, ms?: number) => {
  const timer = realSetTimeout(() => {
    timers.delete(timer);
    callback();
  }, ms);
  timers.add(timer);
  return timer;
}) as typeof setTimeout;
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  realClearTimeout(timer);
};

const checkoutJson = JSON.stringify(makePendingCheckout({ ...sbp, expires_in_ms: 86_400_000 }));

/** Resolves after `ms`, or rejects when the request is aborted. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}

async function respond(headers: Headers, signal: AbortSignal): Promise<Response> {
  if (isResponseHeld) await wait(25_000, signal);
  if (headers.get('if-none-match') !== '"1"') return new Response(checkoutJson, { headers: { etag: '"1"' } });
  await wait(headers.get('prefer')?.includes('wait=25') === true ? 25_000 : 0, signal);
  return new Response(null, { status: 304 });
}

globalThis.fetch = (_, init) => {
  sentRequests += 1;
  openRequests += 1;
  return respond(new Headers(init?.headers), init?.signal ?? new AbortController().signal).finally(
    () => (openRequests -= 1),
  );
};

/** Resolves in the next task. It uses no timer, which would be counted. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage('');
  });

function appendWidget(): HTMLElement {
  const widget = document.createElement('pay-invoice');
  widget.setAttribute('checkout', 'chk_life');
  document.body.append(widget);
  return widget;
}

globalThis.life = {
  async mount(times) {
    for (let index = 0; index < times; index += 1) {
      isResponseHeld = index % 2 === 1;
      const widget = appendWidget();
      const isReady = (): boolean =>
        isResponseHeld ? openRequests > 0 : widget.shadowRoot?.querySelector('[part=requisites]') != null;
      while (!isReady()) await nextTask();
      widget.remove();
    }
    isResponseHeld = false;
    await nextTask();
  },
  counts: () => ({ timers: timers.size, openRequests, sentRequests }),
};
