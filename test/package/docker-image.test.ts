import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { findFreePort } from '../example-shops/example-shop.ts';
import { CleanMachine, pack } from './clean-machine.ts';

// Executes the last stage of the Dockerfile with a plain shell and without Docker, in an empty folder instead of `/`, and the last
// step of the previous stage. The others are the steps that `npm test` runs in the repository: `npm ci`, `npm run build` and `npm pack`.

const lines = readFileSync('Dockerfile', 'utf8').split('\n');
const lastStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);
const [, installStep = ''] = /^RUN (npm pkg .*)$/m.exec(lines.join('\n')) ?? [];
const lockSchema = z.object({ packages: z.record(z.string(), z.object({ version: z.string() })) });
const parseCommand = (text: string): readonly string[] => z.array(z.string()).parse(JSON.parse(text));

/** The user `nobody`. If the tests run as root, the program runs as `nobody`. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
const chown = isRoot ? `exec /bin/chown ${nobody}:${nobody} "$2"` : 'exit 0';

let machine: CleanMachine;
/** The folder in place of the image's `/`. */
let root = '';
let folder = '';
let variables: readonly string[] = [];
let healthCheck: readonly string[] = [];
let command: readonly string[] = [];

const inImage = (path: string): string => join(root, path);
const environmentArguments = (): readonly string[] => ['-C', folder, ...variables];

async function executeInstruction(instruction: string, text: string): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      folder = inImage(text);
      await mkdir(folder, { recursive: true });
      break;
    case 'COPY': {
      const [, target = ''] = /^--from=build \/build\/node_modules (\/\S+)$/.exec(text) ?? assert.fail(text);
      const build = inImage('build');
      await mkdir(build);
      await pack(build);
      for (const name of ['package.json', 'package-lock.json']) await copyFile(name, join(build, name));
      await machine.run('env', '-C', build, 'npm_config_prefer_offline=true', 'sh', '-ec', installStep);
      await rename(join(build, 'node_modules'), inImage(target));
      break;
    }
    case 'RUN': {
      const shell = text.replaceAll(/(?<=\s)\/(?=\w)/g, `${root}/`);
      // A separate npm cache, because a step empties it.
      const shellVariables = [
        `PATH=${inImage('bin')}:${process.env['PATH'] ?? ''}`,
        `npm_config_cache=${inImage('cache')}`,
      ];
      await machine.run('env', ...environmentArguments(), ...shellVariables, 'sh', '-ec', shell);
      break;
    }
    case 'ENV':
      variables = [...variables, ...text.split(' ').map((one) => one.replace('=/', `=${root}/`))];
      break;
    case 'HEALTHCHECK':
      healthCheck = parseCommand(text.slice(text.indexOf('CMD ') + 4));
      break;
    case 'CMD':
      command = parseCommand(text);
      break;
    default:
      assert.ok(['USER', 'EXPOSE', 'VOLUME'].includes(instruction), instruction);
  }
}

before(async () => {
  machine = await CleanMachine.empty({ 'bin/chown': `#!/bin/sh\n${chown}\n` });
  root = machine.folder;
  await chmod(root, 0o755);
  await chmod(inImage('bin/chown'), 0o755);
  await mkdir(inImage('tmp'));
  for (const line of lastStage) {
    const [, instruction, text = ''] = /^([A-Z]+) (.*[^\\])$/.exec(line) ?? [];
    if (instruction !== undefined) await executeInstruction(instruction, text);
    else assert.match(line, /^(#.*)?$/, 'an instruction in several lines');
  }
});
after(() => machine.remove());

describe('the image of the Dockerfile', { timeout: 300_000 }, () => {
  const skip = existsSync('.git') ? false : 'not a repository of git';
  it('is built with all files of the repository, none of which .dockerignore excludes', { skip }, () => {
    const ignored = readFileSync('.dockerignore', 'utf8').trim().split('\n');
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
    const isIgnored = (path: string): boolean => ignored.some((one) => path === one || path.startsWith(`${one}/`));
    assert.ok(files.length > 100);
    assert.deepEqual(files.filter(isIgnored), []);
  });

  it('has the version of Node that runs the tests, which the repository pins', () => {
    const [, imageVersion] = /^FROM node:(\d+)-\S+$/m.exec(lines.join('\n')) ?? [];
    assert.equal(process.versions.node.split('.')[0], imageVersion);
  });

  it('has the packages in the versions of the lock file', () => {
    const readVersions = (path: string): Readonly<Record<string, string>> => {
      const { packages } = lockSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      return Object.fromEntries(
        Object.entries(packages).flatMap(([name, { version }]) => (name === '' ? [] : [[name, version]])),
      );
    };
    const installed = readVersions(join(folder, 'node_modules/.package-lock.json'));
    assert.ok(Object.keys(installed).length > 10);
    const locked = readVersions('package-lock.json');
    for (const [name, version] of Object.entries(installed)) assert.equal(version, locked[name], name);
  });

  it('has the drivers of both databases, and none of the tools of the build', () => {
    const hasPackage = (name: string): boolean => existsSync(join(folder, 'node_modules', name));
    assert.deepEqual(['kysely', 'pg', 'vite', 'typescript'].map(hasPackage), [true, true, false, false]);
  });

  it('serves without being root, writes to its volume, and ends at SIGTERM; its health check passes only while it serves', async () => {
    const port = await findFreePort();
    const commandPrefix = ['env', ...environmentArguments(), `PORT=${port}`, 'TRIAL=1', 'SANDBOX_PORT=0', ...asUser];
    const inNode = ([program = '', ...args]: readonly string[]): readonly string[] => {
      assert.equal(program, 'node');
      return [process.execPath, ...args];
    };
    const checkHealth = (): Promise<string> => machine.run(...asCommand([...commandPrefix, ...inNode(healthCheck)]));
    await assert.rejects(checkHealth());
    const server = machine.start(...asCommand([...commandPrefix, ...inNode(command)]));
    await server.printed(/Checkout server +(http:\S+)/);
    await checkHealth();
    assert.equal((await fetch(`http://127.0.0.1:${port}/pay-invoice.js`)).status, 200);
    const { uid } = await stat(inImage('data/checkouts.db'));
    assert.notEqual(uid, 0);
    assert.equal(await server.stop(), 0);
    await assert.rejects(checkHealth());
  });
});

function asCommand([program = '', ...args]: readonly string[]): [string, ...string[]] {
  return [program, ...args];
}
