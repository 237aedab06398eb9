// `npm run sandbox`: runs the sandbox from the sources, with settings from the environment.
import process from 'node:process';
import { readEnvironment } from '../src/sandbox/command-line.ts';
import { runSandboxProgram } from '../src/sandbox/run-program.ts';

await runSandboxProgram(() => readEnvironment(process.env));
