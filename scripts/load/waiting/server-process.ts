// The standalone server as one of several processes of the run with waiting payers. It reports its memory to its parent.
import process from 'node:process';
import { readServerEnvironment } from '../../../src/standalone/standalone-environment.ts';
import { startServer } from '../../../src/standalone/start-server.ts';
import type { ServerReply } from './messages.ts';

const sendToParent = (message: ServerReply): void => void process.send?.(message);

const server = await startServer(readServerEnvironment(process.env), process.argv[2] ?? '');
process.on('message', () => {
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  sendToParent({ memory: { residentBytes: rss, heapBytes: heapUsed } });
});
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
sendToParent({ url: server.url, metrics: server.metrics });
