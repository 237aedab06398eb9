import { runBench } from './bench-server/run.ts';
await runBench({ rounds: 3, seconds: 1.5, connections: 32, checkouts: 300, say: console.log });
