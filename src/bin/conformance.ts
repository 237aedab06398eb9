#!/usr/bin/env node
// `npx pay-invoice-conformance <endpoint>`: checks that a backend serves the checkout API.
import process from 'node:process';
import { endWithNpx } from './end-with-npx.ts';
import { requireSupportedNode } from './supported-node.ts';

requireSupportedNode();
endWithNpx();

const abortController = new AbortController();
process.once('SIGINT', () => abortController.abort()); // a second SIGINT ends the process immediately

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // the reader may go away: `| head`

const { runCommandLine } = await import('../tools/conformance/command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  environment: process.env,
  signal: abortController.signal,
});
