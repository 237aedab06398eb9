import process from 'node:process';

/**
 * Ends the program on a version of Node that is too old, with one line. A program imports its other modules after this call, because
 * an old version may fail to load them.
 */
export function requireSupportedNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  process.stderr.write(`Cannot start: this is Node.js ${process.versions.node}, and 22.18 or later is needed\n`);
  process.exit(1);
}
