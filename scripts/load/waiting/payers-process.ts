// Some of the payers of the run with waiting payers: each reads its checkout, then holds one long poll after another.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestText, type HttpResponse } from '../http-connection.ts';
import { sharedNow, type PayersCommand, type PayersReply } from './messages.ts';

let opened = 0;
let responses = 0;
let errors = 0;
const reasons = new Map<string, number>();
const connections: Connection[] = [];

const reply = (message: PayersReply): void => void process.send?.(message);

function countError(reason: string): void {
  errors += 1;
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}

/** Reads a checkout, and asks again with a long poll after each response until it is paid. */
function open(port: number, checkoutId: string, waitSeconds: number): void {
  const connection = new Connection(port);
  connections.push(connection);
  const path = `/checkout/${checkoutId}`;
  let etag = '';
  const request = (): void => {
    const headers: Record<string, string> = etag === '' ? {} : { 'if-none-match': etag, prefer: `wait=${waitSeconds}` };
    connection.send(requestText('GET', path, headers), onResponse);
  };
  const onResponse = (response: HttpResponse | Error): void => {
    const at = sharedNow();
    if (response instanceof Error || (response.status !== 200 && response.status !== 304)) {
      countError(response instanceof Error ? response.message : `status ${response.status}`);
      setTimeout(request, 1000);
      return;
    }
    responses += 1;
    if (etag === '') opened += 1;
    etag = response.etag;
    if (response.status === 200 && response.body.includes('"status":"paid"')) {
      reply({ kind: 'paid', checkoutId, at });
      connection.close();
    } else request();
  };
  request();
}

async function openAll({ port, checkoutIds, perSecond, waitSeconds }: PayersCommand & { readonly do: 'open' }) {
  const start = performance.now();
  for (const [index, checkoutId] of checkoutIds.entries()) {
    const early = start + (index * 1000) / perSecond - performance.now();
    if (early > 1) await sleep(early);
    open(port, checkoutId, waitSeconds);
  }
}

process.on('message', (command: PayersCommand) => {
  if (command.do === 'open') void openAll(command);
  else if (command.do === 'report')
    reply({ kind: 'report', report: { opened, responses, errors, reasons: Object.fromEntries(reasons) } });
  else {
    for (const connection of connections) connection.close();
    process.exit(0);
  }
});
process.once('disconnect', () => process.exit(1));
