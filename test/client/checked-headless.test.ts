import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPorts, CheckoutOptionsError, createSession, httpTransport } from '../../src/headless.ts';

const endpoint = 'https://shop.example/checkout';
const ports = browserPorts({ endpoint, checkout: 'chk_1' });

/** Calls a function with arguments that its types do not allow. */
const call = (name: (...values: never[]) => unknown, ...values: unknown[]): unknown =>
  Reflect.apply(name, undefined, values);

describe('a function of pay-invoice/core', () => {
  for (const [title, run, path, message] of [
    [
      'httpTransport',
      () => call(httpTransport, { endpoint, checkout: 'chk_1', header: {} }),
      'header',
      'header: is unknown',
    ],
    [
      'httpTransport with another spelling',
      () => call(httpTransport, { endPoint: endpoint, checkout: 'chk_1' }),
      'endPoint',
      'endPoint: is unknown: did you mean endpoint?',
    ],
    ['httpTransport without options', () => call(httpTransport), 'options', 'options: must be an object'],
    [
      'browserPorts',
      () => call(browserPorts, { endpoint, id: 'chk_1', key: 1 }),
      'id',
      'id: is unknown; key: is unknown',
    ],
    [
      'createSession with a port',
      () => call(createSession, { ...ports, pagelifecycle: ports.pageLifecycle }),
      'pagelifecycle',
      'pagelifecycle: is unknown: did you mean pageLifecycle?',
    ],
    [
      'createSession with an option',
      () => call(createSession, ports, { method: 'SBP' }),
      'method',
      'method: is unknown',
    ],
    ['createSession with null', () => call(createSession, ports, null), 'options', 'options: must be an object'],
  ] as const)
    it(`names what it does not know: ${title}`, () => {
      assert.throws(run, (error) => {
        assert.ok(error instanceof CheckoutOptionsError);
        assert.deepEqual([error.code, error.path, error.message], ['invalid_options', path, message]);
        return true;
      });
    });

  it('takes what its types have', () => {
    const transport = httpTransport({ endpoint, checkout: 'chk_1', fetch, headers: {}, credentials: 'include' });
    const session = createSession({ ...ports, transport }, { preferred: 'SBP', mayBeOld: true });
    assert.equal(session.getState().status, 'loading');
  });
});
