// The standalone server as one of several processes of the run with waiting payers. It reports its memory to its parent.
import process from 'node:process';
import { readServerEnvironment } from '../../../src/standalone/environment/server-environment.ts';
import { startServer } from '../../../src/standalone/start-server.ts';
import type { ServerReply } from './messages.ts';
import { reportMemoryToParent } from './report-memory.ts';

const server = await startServer(readServerEnvironment(process.env), process.argv[2] ?? '');
reportMemoryToParent();
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.send?.({ url: server.url, metrics: server.metrics } satisfies ServerReply);
