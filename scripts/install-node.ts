import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const binaryPackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const minute = 60_000;

/** Installs a version and returns its binary, or the reason why it cannot be installed. */
export function installNode(version: string): { readonly binary: string } | string {
  const folder = resolve('.tmp/node', version);
  const binary = join(folder, 'node_modules', binaryPackage, 'bin', 'node');
  if (!existsSync(binary)) {
    const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { stderr } = spawnSync('npm', [...args, `${binaryPackage}@${version}`], {
      encoding: 'utf8',
      timeout: 5 * minute,
    });
    if (!existsSync(binary)) return findNpmError(stderr);
  }
  const { status } = spawnSync(binary, ['--version']);
  return status === 0 ? { binary } : `${binary} does not run here`;
}

function findNpmError(output: string): string {
  return output.split('\n').find((line) => line.startsWith('npm error')) ?? 'npm did not end';
}
