import { assert, fixture, html } from '@open-wc/testing';
import { transportOf } from '../../demo/gallery-states.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { stateNamed, until } from './support.ts';

/** Whether the encoder was asked for; in a file of its own, because a page asks for it once. */
const asked = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/qr/qr-code.ts'));

describe('the encoder of the QR', () => {
  it('is fetched while the first answer is awaited, and not by an element without a checkout', async () => {
    await fixture(html`<pay-invoice lang="ru"></pay-invoice>`);
    assert.isFalse(asked());
    const never = transportOf(stateNamed('loading'));
    const widget = await fixture<PayInvoiceElement>(html`<pay-invoice lang="ru" .transport=${never}></pay-invoice>`);
    await until('the encoder', asked);
    assert.equal(widget.state.status, 'loading');
  });
});
