import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installDebian, type ProgramResult, type Run } from '../../scripts/install-debian-packages.ts';

const missingProgramResult: ProgramResult = { status: null, output: '' };

/** Creates a machine with installed packages and programs. `calls` records the calls of apt-get that change the machine. */
function createMachine({
  packages = [] as string[],
  programs = ['dpkg-query', 'apt-get'],
  isRoot = true,
  failingCall = '',
} = {}) {
  const installed = new Set(packages);
  const calls: string[] = [];
  const lines: string[] = [];
  const run: Run = (program, args) => {
    if (!programs.includes(program)) return missingProgramResult;
    const name = args.at(-1) ?? '';
    if (program === 'dpkg-query') return { status: installed.has(name) ? 0 : 1, output: 'installed' };
    if (args[0] === '--version') return { status: 0, output: 'apt 2.6.1' };
    const call = args.filter((arg) => /^[a-z]|-download/.test(arg)).join(' ');
    calls.push(call);
    if (failingCall !== '' && call.includes(failingCall))
      return { status: 100, output: 'Reading lists\nE: no network\n' };
    return { status: 0, output: '' };
  };
  return { run, isRoot, print: (line: string) => void lines.push(line), calls, lines };
}

test('nothing is run or printed when all packages are installed', () => {
  const machine = createMachine({ packages: ['postgresql', 'xvfb'] });
  assert.equal(installDebian(['postgresql', 'xvfb'], machine), true);
  assert.deepEqual([machine.calls, machine.lines], [[], []]);
});

test('a missing package is downloaded and then installed without the network', () => {
  const machine = createMachine({ packages: ['xvfb'] });
  assert.equal(installDebian(['postgresql', 'xvfb'], machine), true);
  assert.deepEqual(
    machine.calls.map((call) => call.replaceAll(/\S+=\S+ /g, '')),
    ['update', 'install --download-only postgresql', 'install --no-download postgresql'],
  );
  assert.deepEqual(machine.lines, ['Installing postgresql']);
});

test('the other packages are installed when one package is not available', () => {
  const machine = createMachine({ failingCall: 'firefox-esr' });
  assert.equal(installDebian(['firefox-esr', 'xvfb'], machine), false);
  assert.equal(machine.calls.at(-1)?.replaceAll(/\S+=\S+ /g, ''), 'install --no-download xvfb');
  assert.deepEqual(machine.lines, [
    'Installing firefox-esr xvfb',
    'NOT INSTALLED: firefox-esr (apt-get install: E: no network)',
  ]);
});

test('no package is installed when the package lists cannot be updated', () => {
  const machine = createMachine({ failingCall: 'update' });
  assert.equal(installDebian(['firefox-esr', 'xvfb'], machine), false);
  assert.deepEqual(machine.calls.length, 1);
  assert.equal(machine.lines.at(-1), 'NOT INSTALLED: firefox-esr xvfb (apt-get update: E: no network)');
});

const impossibleInstallations = [
  ['not Debian', { programs: [] }, 'NOT INSTALLED: postgresql (this is not Debian)'],
  ['not root', { isRoot: false }, 'NOT INSTALLED: postgresql (only root can: apt-get install postgresql)'],
  ['no network', { failingCall: 'install' }, 'NOT INSTALLED: postgresql (apt-get install: E: no network)'],
] as const;

for (const [reason, options, line] of impossibleInstallations)
  test(`an installation that is impossible because of "${reason}" prints the reason in one line`, () => {
    const machine = createMachine({
      ...options,
      programs: [...('programs' in options ? options.programs : ['dpkg-query', 'apt-get'])],
    });
    assert.equal(installDebian(['postgresql'], machine), false);
    assert.equal(machine.lines.at(-1), line);
  });
