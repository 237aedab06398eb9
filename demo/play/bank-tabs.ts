// The bank's page is another tab, and the sandbox lives in the shop's: they talk over a channel of the browser.

/** Asks the sandbox's control API. */
export type Control = (method: string, path: string, body?: unknown) => Promise<Response>;

interface Ask {
  readonly ask: string;
  readonly method: string;
  readonly path: string;
}

interface Answer {
  readonly answer: string;
  readonly json: unknown;
}

const name = 'pay-invoice bank';
const patienceMs = 10_000;

const isAsk = (data: unknown): data is Ask => typeof data === 'object' && data !== null && 'ask' in data;
const isAnswer = (data: unknown): data is Answer => typeof data === 'object' && data !== null && 'answer' in data;

/** Answers tabs of the bank that ask for an invoice of this page; of others nothing is said. */
export function answerBankTabs(control: Control): void {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isAsk(data) || !data.path.startsWith('invoices')) return;
    void control(data.method, data.path).then(async (response) => {
      if (!response.ok) return;
      const answer: Answer = { answer: data.ask, json: await response.json() };
      channel.postMessage(answer);
    });
  });
}

/** Asks whichever page has the invoice; undefined when none has answered in time. */
export function askShopTabs(method: string, path: string): Promise<unknown> {
  const channel = new BroadcastChannel(name);
  const ask: Ask = { ask: String(crypto.getRandomValues(new Uint32Array(2))), method, path };
  return new Promise<unknown>((resolve) => {
    setTimeout(() => resolve(undefined), patienceMs);
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isAnswer(data) && data.answer === ask.ask) resolve(data.json);
    });
    channel.postMessage(ask);
  }).finally(() => channel.close());
}
