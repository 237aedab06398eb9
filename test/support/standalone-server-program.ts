// The standalone server as a program for tests and load runs: without the widget's built files, and with a known admin token.
import process from 'node:process';
import { runProgram } from '../../src/standalone.ts';
import { startTestServer } from './start-test-server.ts';

await runProgram(async () => {
  const server = await startTestServer(process.env);
  const { url, sandbox, metrics } = server;
  const lines = [`Server   ${url}`, `Sandbox  ${sandbox ?? 'none'}`, `Metrics  ${metrics ?? 'none'}`];
  return { lines, close: () => server.close() };
});
