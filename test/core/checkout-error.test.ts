import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tsImport } from 'tsx/esm/api';
import { CheckoutError } from '../../src/core.ts';
import type * as errors from '../../src/core/checkout-error.ts';

test('an error that another copy of the package threw keeps its code', async () => {
  const copy = (await tsImport('../../src/core/checkout-error.ts', import.meta.url)) as typeof errors;
  assert.notEqual(copy.CheckoutError, CheckoutError);
  const error = new copy.CheckoutError('already_paid', 'paid');
  assert.equal(CheckoutError.from(error), error);
});

test('a thrown value that is no CheckoutError becomes a network error', () => {
  for (const thrown of [new TypeError('fetch failed'), 'text', undefined, { name: 'CheckoutError' }])
    assert.equal(CheckoutError.from(thrown).code, 'network');
});
