// `npm run sandbox`: the sandbox by itself.
import process from 'node:process';
import { readEnvironment } from './config.ts';
import { runSandbox } from './run.ts';

await runSandbox(() => readEnvironment(process.env));
