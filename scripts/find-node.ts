import { execFileSync } from 'node:child_process';

/** The binary of a version of Node, which npm keeps in its cache. */
export function findNode(version: string): string {
  const args = ['--yes', '--package', `node@${version}`, '--', 'node', '--print', 'process.execPath'];
  return execFileSync('npx', args, { encoding: 'utf8', timeout: 5 * 60_000 }).trim();
}
