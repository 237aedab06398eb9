import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installDebian, type Finished, type Run } from '../../scripts/install-debian-packages.ts';

const absent: Finished = { status: null, output: '' };

/** A machine that has some packages and some programs; `calls` are those of apt-get that change it. */
function machine({ has = [] as string[], programs = ['dpkg-query', 'apt-get'], isRoot = true, fails = '' } = {}) {
  const installed = new Set(has);
  const calls: string[] = [];
  const lines: string[] = [];
  const run: Run = (program, args) => {
    if (!programs.includes(program)) return absent;
    const name = args.at(-1) ?? '';
    if (program === 'dpkg-query') return { status: installed.has(name) ? 0 : 1, output: 'installed' };
    if (args[0] === '--version') return { status: 0, output: 'apt 2.6.1' };
    const call = args.filter((arg) => /^[a-z]|-download/.test(arg)).join(' ');
    calls.push(call);
    if (fails !== '' && call.includes(fails)) return { status: 100, output: 'Reading lists\nE: no network\n' };
    return { status: 0, output: '' };
  };
  return { run, isRoot, print: (line: string) => void lines.push(line), calls, lines };
}

test('runs nothing and prints nothing when everything is installed', () => {
  const all = machine({ has: ['postgresql', 'xvfb'] });
  assert.equal(installDebian(['postgresql', 'xvfb'], all), true);
  assert.deepEqual([all.calls, all.lines], [[], []]);
});

test('downloads what is missing and then installs it without the network', () => {
  const some = machine({ has: ['xvfb'] });
  assert.equal(installDebian(['postgresql', 'xvfb'], some), true);
  assert.deepEqual(
    some.calls.map((call) => call.replaceAll(/\S+=\S+ /g, '')),
    ['update', 'install --download-only postgresql', 'install --no-download postgresql'],
  );
  assert.deepEqual(some.lines, ['Installing postgresql']);
});

test('installs the other packages when one is not available', () => {
  const some = machine({ fails: 'firefox-esr' });
  assert.equal(installDebian(['firefox-esr', 'xvfb'], some), false);
  assert.equal(some.calls.at(-1)?.replaceAll(/\S+=\S+ /g, ''), 'install --no-download xvfb');
  assert.deepEqual(some.lines, [
    'Installing firefox-esr xvfb',
    'NOT INSTALLED: firefox-esr (apt-get install: E: no network)',
  ]);
});

test('installs no package when the package lists are not available', () => {
  const some = machine({ fails: 'update' });
  assert.equal(installDebian(['firefox-esr', 'xvfb'], some), false);
  assert.deepEqual(some.calls.length, 1);
  assert.equal(some.lines.at(-1), 'NOT INSTALLED: firefox-esr xvfb (apt-get update: E: no network)');
});

const refusals = [
  ['not Debian', { programs: [] }, 'NOT INSTALLED: postgresql (this is not Debian)'],
  ['not root', { isRoot: false }, 'NOT INSTALLED: postgresql (only root can: apt-get install postgresql)'],
  ['no network', { fails: 'install' }, 'NOT INSTALLED: postgresql (apt-get install: E: no network)'],
] as const;

for (const [why, parts, line] of refusals)
  test(`prints in one line that it could not install: ${why}`, () => {
    const refused = machine({
      ...parts,
      programs: [...('programs' in parts ? parts.programs : ['dpkg-query', 'apt-get'])],
    });
    assert.equal(installDebian(['postgresql'], refused), false);
    assert.equal(refused.lines.at(-1), line);
  });
