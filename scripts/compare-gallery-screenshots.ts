// Compares pictures of the gallery with the stored ones: `npm run test:visual`; with `-- --update`, after an intended change, it
// stores them. Always in the Chromium that comes with `npm ci`: another build draws other pixels.
import { spawnSync } from 'node:child_process';

if (process.platform === 'linux' && process.arch === 'x64') {
  const isUpdate = process.argv.includes('--update');
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/test-node.ts', 'test/visual'], {
    stdio: 'inherit',
    env: { ...process.env, CHROME_PATH: 'bundled', ...(isUpdate && { VISUAL_UPDATE: '1' }) },
  });
  process.exitCode = status ?? 1;
} else
  console.warn('LEFT OUT: pictures are compared in the Chromium of @sparticuz/chromium, which is for Linux on x64');
