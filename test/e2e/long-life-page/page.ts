// The widget over a backend inside of its page, with everything counted that it could leave behind.
import '../../../src/pay-invoice.ts';
import { pending, sbp } from '../../../demo/gallery-checkouts.ts';

/** What is under way in the page, and what was asked so far. */
export interface Counts {
  readonly timers: number;
  readonly asking: number;
  readonly asked: number;
}

export interface Life {
  /** Mounts a widget and takes it away, so many times: in turn once its requisites are on the screen, and while it asks. */
  mount(times: number): Promise<void>;
  /** Mounts one that stays. */
  stay(): void;
  counts(): Counts;
}

declare global {
  var life: Life;
}

/** What the page does wrong at each mount, for the tests that have to notice: the word after # in its address. */
const wrongs: Readonly<Record<string, (mounted: Element) => void>> = {
  elements: (mounted) => void kept.push(mounted),
  listeners: () => document.addEventListener('visibilitychange', () => undefined),
  timers: () => void setTimeout(() => undefined, 86_400_000),
  requests: () => void fetch('/checkout/chk_life', { headers: waiting }).catch(() => undefined),
};
const wrong = wrongs[location.hash.slice(1)];
const waiting = { 'if-none-match': '"1"', prefer: 'wait=25' };
const kept: Element[] = [];
const timers = new Set<unknown>();
let asking = 0;
let asked = 0;
let silent = false;

const start = globalThis.setTimeout;
const stop = globalThis.clearTimeout;
globalThis.setTimeout = ((callback: () => void, ms?: number) => {
  const timer = start(() => {
    timers.delete(timer);
    callback();
  }, ms);
  timers.add(timer);
  return timer;
}) as typeof setTimeout;
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  stop(timer);
};

const day = JSON.stringify(pending({ ...sbp, expires_in_ms: 86_400_000 }));

/** Resolves after a time, or rejects when the asker leaves. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const leave = (): void => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}

async function answer(headers: Headers, signal: AbortSignal): Promise<Response> {
  if (silent) await rest(25_000, signal);
  if (headers.get('if-none-match') !== '"1"') return new Response(day, { headers: { etag: '"1"' } });
  await rest(headers.get('prefer')?.includes('wait=25') === true ? 25_000 : 0, signal);
  return new Response(null, { status: 304 });
}

globalThis.fetch = (_, init) => {
  asked += 1;
  asking += 1;
  return answer(new Headers(init?.headers), init?.signal ?? new AbortController().signal).finally(() => (asking -= 1));
};

/** Lets promises and messages go on without a timer. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage('');
  });

function widget(): HTMLElement {
  const created = document.createElement('pay-invoice');
  created.setAttribute('checkout', 'chk_life');
  document.body.append(created);
  return created;
}

globalThis.life = {
  async mount(times) {
    for (let n = 0; n < times; n += 1) {
      silent = n % 2 === 1;
      const created = widget();
      const isReady = (): boolean =>
        silent ? asking > 0 : created.shadowRoot?.querySelector('[part=requisites]') != null;
      while (!isReady()) await turn();
      created.remove();
      wrong?.(created);
    }
    silent = false;
    await turn();
  },
  stay: () => void widget(),
  counts: () => ({ timers: timers.size, asking, asked }),
};
