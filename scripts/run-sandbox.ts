// `npm run sandbox`: runs the sandbox from the sources, with settings from the environment.
import process from 'node:process';
import { readEnvironment, runSandboxProgram } from '../src/tools/sandbox/command-line.ts';

await runSandboxProgram(() => readEnvironment(process.env));
