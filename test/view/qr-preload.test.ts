import { assert, aTimeout, fixture, html, nextFrame } from '@open-wc/testing';
import { transportOf } from '../../demo/gallery-states.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { stateNamed, until } from './render-widget.ts';

// These tests have a file of their own, because a page requests the encoder only once.

/** Whether the page has requested the encoder. */
const isEncoderRequested = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/qr/qr-drawing.ts'));

describe('the encoder of the QR', () => {
  it('is loaded while the payer chooses, and not before the methods are on the screen', async () => {
    const stateTransport = transportOf(stateNamed('options'));
    let respond = (): void => undefined;
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const transport: CheckoutTransport = {
      createInvoice: (request, signal) => stateTransport.createInvoice(request, signal),
      read: async (request, signal) => {
        await response;
        return stateTransport.read(request, signal);
      },
    };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" .transport=${transport}></pay-invoice>`,
    );
    assert.equal(widget.state.status, 'loading');
    await nextFrame();
    await aTimeout(50);
    assert.isFalse(isEncoderRequested());
    respond();
    await until('the methods', () => widget.shadowRoot?.querySelector('[part~=method]'));
    await until('the encoder', isEncoderRequested);
  });
});

describe('the screen of an invoice', () => {
  it('is rendered once outside of the widget while the first invoice is requested', async () => {
    const stateTransport = transportOf(stateNamed('options'));
    const transport: CheckoutTransport = {
      createInvoice: () => new Promise(() => undefined),
      read: (request, signal) => stateTransport.read(request, signal),
    };
    const renderedValues: unknown[] = [];
    const messages = {
      transferText: (...values: readonly unknown[]) => {
        renderedValues.push(values);
        return '';
      },
    };
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="ru" .messages=${messages} .transport=${transport}></pay-invoice>`,
    );
    (await until('the button', () => widget.shadowRoot?.querySelector<HTMLElement>('[part=continue]'))).click();
    await until('the render', () => renderedValues.length > 0);
    assert.equal(widget.state.status, 'creating');
    assert.isNull(widget.shadowRoot?.querySelector('.qr, dl'));
    assert.lengthOf(renderedValues, 1);
  });
});
