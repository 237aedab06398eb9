import { assert, aTimeout, fixture, html, nextFrame } from '@open-wc/testing';
import { transportOf } from '../../demo/gallery-states.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { stateNamed, until } from './render-widget.ts';

/** Whether the encoder was requested. In a file of its own, because a page requests it once. */
const isEncoderRequested = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/qr/qr-drawing.ts'));

describe('the encoder of the QR', () => {
  before(() => sessionStorage.clear());

  it('is loaded while the payer chooses, and not before the methods are on the screen', async () => {
    const open = transportOf(stateNamed('options'));
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const transport: CheckoutTransport = {
      createInvoice: (request, signal) => open.createInvoice(request, signal),
      read: async (request, signal) => {
        await answered;
        return open.read(request, signal);
      },
    };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" .transport=${transport}></pay-invoice>`,
    );
    assert.equal(widget.state.status, 'loading');
    await nextFrame();
    await aTimeout(50);
    assert.isFalse(isEncoderRequested());
    answer();
    await until('the methods', () => widget.shadowRoot?.querySelector('[part~=method]'));
    await until('the encoder', isEncoderRequested);
  });

  it('draws an invoice unseen while the first one is requested', async () => {
    const open = transportOf(stateNamed('options'));
    const transport: CheckoutTransport = {
      createInvoice: () => new Promise(() => undefined),
      read: (request, signal) => open.read(request, signal),
    };
    const drawn: unknown[] = [];
    const messages = {
      transferText: (...values: readonly unknown[]) => {
        drawn.push(values);
        return '';
      },
    };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" .messages=${messages} .transport=${transport}></pay-invoice>`,
    );
    (await until('the button', () => widget.shadowRoot?.querySelector<HTMLElement>('[part=continue]'))).click();
    await until('the drawing', () => drawn.length > 0);
    assert.equal(widget.state.status, 'creating');
    assert.isNull(widget.shadowRoot?.querySelector('.qr, dl'));
    assert.lengthOf(drawn, 1);
  });
});
