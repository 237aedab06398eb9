import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** A language in which `examples/` has a shop. */
export interface Language {
  readonly name: 'PHP' | 'Python';
  /** The command that starts the shop on a port of 127.0.0.1. */
  readonly start: (port: string) => readonly [program: string, ...args: string[]];
  /** A command that reads `{ secret, vectors }` from standard input. It prints the results of its `is_signed` as JSON. */
  readonly checkVectors: readonly [program: string, ...args: string[]];
  /** Why the language's tests cannot run on this machine, or false. */
  readonly reasonToSkip: string | false;
}

const folder = resolve('examples');

/** Returns false when the program runs with these arguments, else the reason why it cannot be tested. */
function reasonToSkip(packages: string, program: string, ...args: readonly string[]): string | false {
  return spawnSync(program, args).status === 0 ? false : `not installed: apt-get install ${packages}`;
}

const php = `
require '${folder}/php/outcomes.php';
['secret' => $secret, 'vectors' => $vectors] = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($one) => is_signed($secret, $one['headers'], $one['body'], $one['now']), $vectors));
`;
const python = `
import json, sys
sys.path.insert(0, '${folder}/python')
from outcomes import is_signed
request = json.load(sys.stdin)
print(json.dumps([is_signed(request['secret'], one['headers'], one['body'].encode(), one['now']) for one in request['vectors']]))
`;

export const languages: readonly Language[] = [
  {
    name: 'PHP',
    start: (port) => ['php', '-S', `127.0.0.1:${port}`, `${folder}/php/shop.php`],
    checkVectors: ['php', '-r', php],
    reasonToSkip: reasonToSkip('php-cli php-sqlite3', 'php', '-r', 'new PDO("sqlite::memory:");'),
  },
  {
    name: 'Python',
    start: () => ['python3', '-B', `${folder}/python/shop.py`],
    checkVectors: ['python3', '-B', '-c', python],
    reasonToSkip: reasonToSkip('python3', 'python3', '-c', 'import sqlite3, sys; assert sys.version_info >= (3, 11)'),
  },
];
