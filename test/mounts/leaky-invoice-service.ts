import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** The fault of one CreateInvoice. */
export type CreateFault =
  'refuses' | 'breaks' | 'html' | 'garbage' | 'redirects' | 'forbids' | 'other_amount' | 'bad_link';

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
  let currentFault: CreateFault | undefined;

  const createInvoice = (request: string): Record<string, unknown> => {
    const { amount } = JSON.parse(request) as { amount: string };
    const invoice = { id: `inv_${invoices.length + 1}`, amount, status: 'PENDING' };
    invoices.push(invoice);
    const requisites = { holder_name: name, phone, account, card_number: card, bik: '049999901' };
    return {
      ...invoice,
      payment_url: currentFault === 'bad_link' ? `http://pay.example/${link}` : `https://pay.example/${link}`,
      amount: currentFault === 'other_amount' ? '1.00' : amount,
      expires_at: new Date(Date.now() + 900_000).toISOString(),
      sbp: requisites,
      card: requisites,
      bank_transfer: requisites,
      bank: { name },
    };
  };

  const successBody = (operation: string, request: string): Record<string, unknown> => {
    switch (operation) {
      case 'CreateInvoice':
        return createInvoice(request);
      case 'FetchInvoices': {
        const unreadableInvoice = { id: phone, amount: card, holder_name: name };
        return { invoices: [...invoices.map((invoice) => ({ ...invoice, holder_name: name })), unreadableInvoice] };
      }
      default: {
        const option = { code: 'card', type: 'CARD', name, available: true, limits: {}, banks: [] };
        return {
          options: [
            { ...option, id: 'pm_card' },
            { ...option, id: 'pm_sbp' },
            { phone, name },
          ],
        };
      }
    }
  };

  const handleRequest = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = incoming.url?.split('/').at(-1) ?? '';
    const request = await text(incoming);
    currentFault = operation === 'CreateInvoice' ? createFaults.shift() : undefined;
    const message = `${textWithSecrets} ${request}`;
    const send = (status: number, body: string, headers: Record<string, string> = {}): void => {
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
    const hookUrl = /"hook_url":"([^"]+)"/.exec(request)?.[1] ?? '';
    if (hookUrl !== '') hooks.push(hookUrl);
    switch (currentFault) {
      case 'refuses':
        send(400, JSON.stringify({ code: 'invalid_argument', message: `hook_url: "${hookUrl}" is not reachable` }));
        break;
      case 'breaks':
        send(503, JSON.stringify({ code: 'internal', message }));
        break;
      case 'html':
        send(502, `<html>${message}</html>`, { 'content-type': 'text/html' });
        break;
      case 'garbage':
        send(200, message);
        break;
      case 'redirects':
        send(302, '', { location: `/${link}?${encodeURIComponent(phone)}` });
        break;
      case 'forbids':
        send(401, JSON.stringify({ code: 'unauthenticated', message: `${hookUrl} ${message}` }));
        break;
      default:
        send(200, JSON.stringify(successBody(operation, request)));
    }
  };

  const server = createServer((incoming, outgoing) => void handleRequest(incoming, outgoing));
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
