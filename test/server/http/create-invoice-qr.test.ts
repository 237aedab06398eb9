import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

const requestedQr = { generate: true, timeout: '4s' };

suite('a QR code is requested', () => {
  const rows: readonly (readonly [string, readonly string[] | undefined, card: boolean, sbp: boolean])[] = [
    ['only for SBP by default', undefined, false, true],
    ['for the types in the option qr.methods, without regard to case', ['card', 'OTHER'], true, false],
    ['for no method when the option qr.methods is empty', [], false, false],
  ];
  for (const [name, types, card, sbp] of rows)
    test(name, async () => {
      for (const [method, isRequested] of [
        ['pm_card', card],
        ['pm_sbp', sbp],
      ] as const) {
        const harness = await TestCheckoutServer.open({}, types === undefined ? {} : { qr: { methods: types } });
        await harness.createInvoice({ method });
        assert.deepEqual(harness.service.createRequests[0]?.qr, isRequested ? requestedQr : undefined, method);
      }
    });
});

suite('a repeat of a create in doubt', () => {
  test('by create recovery does not request a QR code, and later repeats do not either', async () => {
    const harness = await TestCheckoutServer.open();
    const inDoubt = { kind: 'fails', failure: 'ambiguous' } as const;
    harness.service.createFaults.push(inDoubt, inDoubt, inDoubt);
    await harness.createInvoice({ method: 'pm_sbp' });
    await harness.advance(120_000);
    const { createRequests } = harness.service;
    assert.deepEqual(
      createRequests.map(({ qr }) => qr),
      [requestedQr, undefined, undefined, undefined],
    );
    assert.equal(new Set(createRequests.map(({ external_id }) => external_id)).size, 1);
  });
});
