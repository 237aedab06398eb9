import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** Values that no log line may contain. */
export const secrets = {
  token: 'canary-token-Zq81',
  phone: '+79990001122',
  spacedPhone: '+7 (999) 000-11-22',
  name: 'КАНАРЕЙКИН',
  card: '2200770012345670',
  account: '40817810000000000001',
  link: 'canary-payment-page',
} as const;

const { token, phone, spacedPhone, name, card, account, link } = secrets;
const textWithSecrets = `Bearer ${token} ${phone} ${spacedPhone} ${card} ${account}`;

interface Response {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

/** The responses to a CreateInvoice that fails. `message` repeats the token, requisites and the request. */
const failures = {
  refuses: (_, hookUrl) => ({
    status: 400,
    body: JSON.stringify({ code: 'invalid_argument', message: `hook_url: "${hookUrl}" is not reachable` }),
  }),
  breaks: (message) => ({ status: 503, body: JSON.stringify({ code: 'internal', message }) }),
  html: (message) => ({ status: 502, body: `<html>${message}</html>`, headers: { 'content-type': 'text/html' } }),
  garbage: (message) => ({ status: 200, body: message }),
  redirects: () => ({ status: 302, body: '', headers: { location: `/${link}?${encodeURIComponent(phone)}` } }),
  forbids: (message, hookUrl) => ({
    status: 401,
    body: JSON.stringify({ code: 'unauthenticated', message: `${hookUrl} ${message}` }),
  }),
} satisfies Readonly<Record<string, (message: string, hookUrl: string) => Response>>;

/** The fault of one CreateInvoice. */
export type CreateFault = keyof typeof failures | 'other_amount' | 'bad_link';

interface Invoice {
  readonly id: string;
  readonly amount: string;
  status: string;
}

/** An invoice service over HTTP whose errors repeat the request, the token and the requisites. */
export async function startLeakyInvoiceService() {
  const invoices: Invoice[] = [];
  const createFaults: CreateFault[] = [];
  const hooks: string[] = [];

  const createInvoice = (request: string, fault: CreateFault | undefined): object => {
    const { amount } = JSON.parse(request) as { amount: string };
    const invoice = { id: `inv_${invoices.length + 1}`, amount, status: 'PENDING' };
    invoices.push(invoice);
    const requisites = { holder_name: name, phone, account, card_number: card, bik: '049999901' };
    return {
      ...invoice,
      payment_url: `${fault === 'bad_link' ? 'http' : 'https'}://pay.example/${link}`,
      amount: fault === 'other_amount' ? '1.00' : amount,
      expires_at: new Date(Date.now() + 900_000).toISOString(),
      sbp: requisites,
      card: requisites,
      bank_transfer: requisites,
      bank: { name },
    };
  };
  const fetchInvoices = (): object => {
    const unreadableInvoice = { id: phone, amount: card, holder_name: name };
    return { invoices: [...invoices.map((invoice) => ({ ...invoice, holder_name: name })), unreadableInvoice] };
  };
  const option = { id: 'pm_card', code: 'card', type: 'CARD', name, available: true, limits: {}, banks: [] };
  const options = { options: [option, { ...option, id: 'pm_sbp' }, { phone, name }] };

  const respond = (operation: string, request: string): Response => {
    const hookUrl = /"hook_url":"([^"]+)"/.exec(request)?.[1] ?? '';
    if (hookUrl !== '') hooks.push(hookUrl);
    if (operation === 'FetchInvoices') return { status: 200, body: JSON.stringify(fetchInvoices()) };
    if (operation !== 'CreateInvoice') return { status: 200, body: JSON.stringify(options) };
    const fault = createFaults.shift();
    return fault !== undefined && fault in failures
      ? failures[fault as keyof typeof failures](`${textWithSecrets} ${request}`, hookUrl)
      : { status: 200, body: JSON.stringify(createInvoice(request, fault)) };
  };

  const server = createServer((incoming, outgoing) => {
    void text(incoming).then((request) => {
      const { status, body, headers } = respond(incoming.url?.split('/').at(-1) ?? '', request);
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  const { endpoint, close } = await listen(server, '');
  return {
    url: endpoint,
    invoices,
    /** Faults of the next CreateInvoice calls, one for each. */
    createFaults,
    /** The webhook URLs of the requests. */
    hooks,
    close,
  };
}

export type LeakyInvoiceService = Awaited<ReturnType<typeof startLeakyInvoiceService>>;
