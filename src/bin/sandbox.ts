#!/usr/bin/env node
// `npx pay-invoice-sandbox`: the sandbox by itself, on a machine that has nothing of this project but the package.
import process from 'node:process';
import { readFlags, usage } from '../sandbox/config.ts';
import { runSandbox } from '../sandbox/run.ts';

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage);
else await runSandbox(() => readFlags(args, process.env));
