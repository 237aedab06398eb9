// The payers of one server, in a process of their own: one process cannot open the sockets of all payers.
import process from 'node:process';
import { Payers } from './payers.ts';
import type { PayersCall } from './start-program.ts';

const payers = new Payers();

process.on('message', ({ id, method, args }: PayersCall) => {
  const call = payers[method].bind(payers) as (...args: readonly unknown[]) => unknown;
  void Promise.resolve(call(...args)).then((result) => process.send?.({ id, result }));
});
process.once('disconnect', () => process.exit(0));
