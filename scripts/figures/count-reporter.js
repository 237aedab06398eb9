import { relative } from 'node:path';

/** A reporter of Node's test runner: a line of JSON for each test that ended. */
export default async function* countReporter(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details.type === 'suite' || data.file === undefined) continue;
    const isSkipped = data.skip !== undefined && data.skip !== false;
    yield `${JSON.stringify({ where: relative('', data.file), isSkipped })}\n`;
  }
}
