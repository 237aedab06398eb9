// `npm run sandbox`: the sandbox by itself.
import process from 'node:process';
import { readSandboxEnv } from './env.ts';
import { runSandbox } from './program.ts';

await runSandbox(() => readSandboxEnv(process.env));
