// A reporter for Node's test runner: prints each skipped test with its reason. With CI=true a skipped test fails the run, so
// that a machine without a database, a browser or another program cannot pass unnoticed.
import process from 'node:process';

/** @param {AsyncIterable<{ type: string, data: { name?: string, file?: string, skip?: string | boolean } }>} events */
export default async function* reportSkippedTests(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.skip === undefined || data.skip === false) continue;
    if (process.env['CI'] === 'true') process.exitCode = 1;
    yield `SKIPPED ${data.name ?? ''}: ${data.skip === true ? 'no reason given' : data.skip}\n`;
  }
}
