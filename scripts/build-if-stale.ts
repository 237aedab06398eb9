// Builds unless `dist` is newer than its sources: `npm run test:all` takes the build that `npm test` made.
import { spawnSync } from 'node:child_process';
import { isStale } from '../server-example/build.ts';

const sources = ['src', 'demo', 'server-example', 'index.html', 'vite.config.ts', 'package-lock.json', 'package.json'];

if (isStale(['dist/cdn/pay-invoice.js', 'dist/custom-elements.json', 'dist/lib/server.d.ts'], sources))
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status ?? 1;
