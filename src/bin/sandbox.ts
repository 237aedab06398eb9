#!/usr/bin/env node
// `npx pay-invoice-sandbox`: runs the sandbox with settings from flags and the environment.
import process from 'node:process';
import { endWithNpx } from './end-with-npx.ts';
import { requireSupportedNode } from './supported-node.ts';

requireSupportedNode();
endWithNpx();
const { readFlags, usage, runSandboxProgram } = await import('../tools/sandbox/command-line.ts');

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage);
else await runSandboxProgram(() => readFlags(args, process.env));
