#!/usr/bin/env node
// `npx pay-invoice-server`: the checkout server for shops that are not in Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { endWithNpx } from './end-with-npx.ts';
import { requireSupportedNode } from './supported-node.ts';

requireSupportedNode();
endWithNpx();

/** The package's folder. The path is the same from `dist/bin` and from `src/bin`. */
const packageFolder = join(fileURLToPath(import.meta.url), '../../..');
const [, version = ''] = /"version": "(.*?)"/.exec(readFileSync(join(packageFolder, 'package.json'), 'utf8')) ?? [];

// Node 22 and 24 warn that node:sqlite is experimental. The operator has not chosen it, and can do nothing about it.
process.removeAllListeners('warning').on('warning', ({ name, message }) => {
  if (!message.startsWith('SQLite is an experimental feature')) process.stderr.write(`${name}: ${message}\n`);
});

const { runServerProgram } = await import('../standalone/command-line.ts');
await runServerProgram({
  args: process.argv.slice(2),
  environment: process.env,
  widgetFolder: join(packageFolder, 'dist/cdn'),
  version,
});
