// Some of the payers of the run with waiting payers: each reads its checkout, then holds one long poll after another.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, formatRequest, type HttpResponse } from '../http-connection.ts';
import { sharedNow, type PayersCommand, type PayersReply } from './messages.ts';

let openedCount = 0;
let responseCount = 0;
let errorCount = 0;
const errorReasons = new Map<string, number>();
const connections: Connection[] = [];

const sendToParent = (message: PayersReply): void => void process.send?.(message);

function countError(reason: string): void {
  errorCount += 1;
  errorReasons.set(reason, (errorReasons.get(reason) ?? 0) + 1);
}

/** Starts a payer: it reads its checkout, then sends a long poll after each response until the checkout is paid. */
function startPayer(port: number, checkoutId: string, waitSeconds: number): void {
  const connection = new Connection(port);
  connections.push(connection);
  const path = `/checkout/${checkoutId}`;
  let etag = '';
  const sendRequest = (): void => {
    const headers: Record<string, string> = etag === '' ? {} : { 'if-none-match': etag, prefer: `wait=${waitSeconds}` };
    connection.send(formatRequest('GET', path, headers), onResponse);
  };
  const onResponse = (response: HttpResponse | Error): void => {
    const respondedAt = sharedNow();
    if (response instanceof Error || (response.status !== 200 && response.status !== 304)) {
      countError(response instanceof Error ? response.message : `status ${response.status}`);
      setTimeout(sendRequest, 1000);
      return;
    }
    responseCount += 1;
    if (etag === '') openedCount += 1;
    etag = response.etag;
    if (response.status === 200 && response.body.includes('"status":"paid"')) {
      sendToParent({ kind: 'paid', checkoutId, at: respondedAt });
      connection.close();
    } else sendRequest();
  };
  sendRequest();
}

async function startPayers({ port, checkoutIds, perSecond, waitSeconds }: PayersCommand & { readonly do: 'open' }) {
  const startedAt = performance.now();
  for (const [index, checkoutId] of checkoutIds.entries()) {
    const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    startPayer(port, checkoutId, waitSeconds);
  }
}

process.on('message', (command: PayersCommand) => {
  if (command.do === 'open') void startPayers(command);
  else if (command.do === 'report')
    sendToParent({
      kind: 'report',
      report: {
        opened: openedCount,
        responses: responseCount,
        errors: errorCount,
        reasons: Object.fromEntries(errorReasons),
      },
    });
  else {
    for (const connection of connections) connection.close();
    process.exit(0);
  }
});
process.once('disconnect', () => process.exit(1));
