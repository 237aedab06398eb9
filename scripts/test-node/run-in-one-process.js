// Runs test files one after the other in this process. Each is a suite of its own, so that a failure names its file. A file
// that leaves a global, a variable of the environment or a listener of the process changed fails: the next file would see it.
import assert from 'node:assert/strict';
import asyncHooks from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/**
 * The hook by which Node's test runner follows each promise, in order to know to which suite a new test, and to which test an
 * uncaught error belongs. While tests run it would take half of their time, so it is on only while a file is loaded.
 * @type {import('node:async_hooks').AsyncHook | undefined}
 */
let testHook;
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => (testHook = createHook(callbacks));
const { after, suite } = await import('node:test');
asyncHooks.createHook = createHook;

/**
 * What was thrown uncaught while the tests of a file ran: without the hook the runner does not know whose it is.
 * @type {unknown[]}
 */
const uncaughtErrors = [];
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => void uncaughtErrors.push(error));

const replaceable = { globalThis, Date, Math, console, performance };

/** What a file may not leave changed, by name. Null where Node gives a global its value when it is first read. */
function surroundings() {
  const members = Object.entries(replaceable).flatMap(([owner, object]) =>
    Object.entries(Object.getOwnPropertyDescriptors(object)).map(([name, { value = null }]) => [
      `${owner}.${name}`,
      value,
    ]),
  );
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => [name, process.listenerCount(name)]);
  return new Map([...members, ...Object.entries(process.env), ...signals]);
}

/** @param {readonly string[]} files compiled files */
export async function runInOneProcess(files) {
  for (const file of files) {
    const before = surroundings();
    await new Promise((resolve) => {
      suite(file, { timeout: 10 * 60_000 }, async () => {
        try {
          await import(file);
        } finally {
          after(() => {
            testHook?.enable();
            resolve(undefined);
            const [uncaughtError] = uncaughtErrors.splice(0);
            if (!before.has('NODE_ENV')) Reflect.deleteProperty(process.env, 'NODE_ENV'); // A build by Vite sets it.
            const now = surroundings();
            const isAddedByPackage = (/** @type {string} */ name) =>
              name.startsWith('globalThis.') && !before.has(name);
            for (const name of new Set([...before.keys(), ...now.keys()]))
              if (before.get(name) !== null && !isAddedByPackage(name))
                assert.equal(now.get(name), before.get(name), `it changed ${name}`);
            if (uncaughtError !== undefined) throw uncaughtError;
          });
          testHook?.disable();
        }
      });
    });
  }
}
