import { execFileSync } from 'node:child_process';

/**
 * Runs code of JavaScript in another process, with `file` and `fs` in scope and `open(file)`, which opens a database. Tests handle
 * the files of an open database so: when a process closes any descriptor of a file, it loses the locks that SQLite holds on it.
 */
export function runInOtherProcess(code: string, file: string): void {
  const program = `
    const fs = require('node:fs');
    const file = process.argv[1];
    const open = (path) => new (require('node:sqlite').DatabaseSync)(path);
    ${code}`;
  execFileSync(process.execPath, ['--no-warnings', '-e', program, file], { stdio: 'inherit', timeout: 60_000 });
}
