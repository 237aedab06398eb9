// `npm run sandbox`: runs the sandbox from the sources, with settings from the environment and its invoices in DATA_DIR.
import { join } from 'node:path';
import process from 'node:process';
import { readFlags, runSandboxProgram } from '../src/tools/sandbox/command-line.ts';

const dataFile = join(process.env['DATA_DIR'] ?? '.data', 'sandbox.json');
await runSandboxProgram(() => readFlags([], { SANDBOX_STORE: dataFile, ...process.env }));
