import { assert, fixture, html } from '@open-wc/testing';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import '../../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { CheckoutTransport, ReadAnswer } from '../../src/core.ts';
import { CheckoutError, createStandInSession } from '../../src/core.ts';
import { createOptionsTranslator } from '../../src/i18n.ts';
import { ruOptions } from '../../src/locales/ru/payment-options.ts';
import { loadedPaymentChunk } from '../../src/view/load-payment-chunk.ts';
import { optionsAnnouncement } from '../../src/view/screens/screens-before-invoice.ts';
import type { Checkout } from '../../src/protocol.ts';

// These tests have a file of their own, because a page loads the second file only once. Their order matters: the fourth test
// loads that file.

async function until<T>(description: string, read: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + 45_000;
  for (;;) {
    const result = read();
    if (result != null && result !== false) return result;
    if (performance.now() > end) throw new Error(`waited in vain for ${description}`);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A backend that logs its requests and answers at once. */
function createBackend(checkout: Checkout, log: string[]): CheckoutTransport {
  return {
    read: () => {
      log.push('read');
      return Promise.resolve<ReadAnswer>({ kind: 'checkout', checkout, etag: '"1"' });
    },
    createInvoice: () => {
      log.push('create');
      return Promise.resolve({ kind: 'created', checkout: makePendingCheckout(sbp) });
    },
  };
}

const isPaymentChunkRequested = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/view/payment-chunk.ts'));

const findElement = (widget: Element, selector: string): HTMLElement | null | undefined =>
  widget.shadowRoot?.querySelector<HTMLElement>(selector);

describe('the widget before its second file is loaded', () => {
  before(() => fetch('/hold-payment-chunk'));
  after(() => fetch('/release-payment-chunk'));

  it('does not request that file while it has no checkout', async () => {
    const { error } = console;
    console.error = () => undefined;
    await fixture<PayInvoiceElement>(html`<pay-invoice lang="ru"></pay-invoice>`);
    console.error = error;
    assert.isFalse(isPaymentChunkRequested());
  });

  it('requests the checkout when it is connected, before it renders, and repeats no request when it is moved', async () => {
    const requestedUrls: string[] = [];
    const fetch = window.fetch.bind(window);
    window.fetch = (address) => {
      requestedUrls.push(address instanceof Request ? address.url : address.toString());
      return new Promise(() => undefined);
    };
    const widget = document.createElement('pay-invoice');
    widget.setAttribute('checkout', 'chk_early');
    document.body.append(widget);
    assert.deepEqual(requestedUrls, ['/checkout/chk_early']);
    assert.isFalse(widget.hasUpdated);
    assert.isFalse(isPaymentChunkRequested());
    widget.remove();
    document.body.append(widget);
    widget.remove();
    await new Promise((resolve) => setTimeout(resolve));
    window.fetch = fetch;
    assert.deepEqual(requestedUrls, ['/checkout/chk_early']);
  });

  it('shows that there is no connection when the first read fails, and the options after another attempt', async () => {
    const log: string[] = [];
    const backend = createBackend(checkoutWithoutInvoice, log);
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = { ...backend, read: () => Promise.reject(new CheckoutError('timeout', 'no response in time')) };
    document.body.append(widget);
    const button = await until('the button', () => findElement(widget, 'button'));
    assert.equal(findElement(widget, 'h3')?.textContent, 'Нет связи');
    widget.transport.read = (request, signal) => backend.read(request, signal);
    button.click();
    await until('options', () => findElement(widget, '[part=method]'));
    assert.deepEqual(log, ['read']);
    assert.isUndefined(loadedPaymentChunk());
    widget.remove();
  });

  it('shows the options, accepts the choice of the payer and then loads that file, with one read and one create in all', async () => {
    const log: string[] = [];
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = createBackend(checkoutWithoutInvoice, log);
    const events: string[] = [];
    for (const name of ['ready', 'method-select', 'created'])
      widget.addEventListener(`pay-invoice-${name}`, () => events.push(name));
    document.body.append(widget);
    assert.deepEqual(log, ['read']);
    await until('options', () => findElement(widget, '[part=method]'));
    assert.isUndefined(loadedPaymentChunk());
    const announcedText = (): string | undefined => findElement(widget, '[role=status]')?.textContent.trim();
    assert.equal(announcedText(), 'Способ оплаты');
    const radio = widget.shadowRoot?.querySelectorAll<HTMLInputElement>('[type=radio]')[1];
    radio?.click();
    await widget.updateComplete;
    assert.equal(widget.state.status === 'choosing' && widget.state.selected, 'pm_card');
    findElement(widget, '[part=continue]')?.click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'creating');
    assert.isNotNull(findElement(widget, '.skeleton'));
    assert.equal(announcedText(), 'Готовим реквизиты');
    assert.isUndefined(loadedPaymentChunk());
    await fetch('/release-payment-chunk');
    await until('requisites', () => findElement(widget, '[part=requisites]'));
    assert.isDefined(loadedPaymentChunk());
    assert.deepEqual(log, ['read', 'create']);
    // `ready` is dispatched when the options are on the screen. The payer's choice follows it, even before the session runs.
    assert.deepEqual(events, ['ready', 'method-select', 'created']);
    widget.remove();
  });
});

describe('the live region before the second file is loaded', () => {
  it('announces a lost connection, the methods once the connection is back, and the request for an invoice', () => {
    const texts = createOptionsTranslator('ru', ruOptions);
    const standIn = createStandInSession('');
    const announcedText = (): string | undefined => optionsAnnouncement(standIn.getState(), texts);
    assert.equal(announcedText(), '');
    standIn.fail(new CheckoutError('network', 'no response'));
    assert.equal(announcedText(), 'Нет связи');
    standIn.show(checkoutWithoutInvoice);
    assert.equal(announcedText(), 'Способ оплаты');
    standIn.createInvoice();
    assert.equal(announcedText(), 'Готовим реквизиты');
  });
});

describe('the first read, once the second file is loaded', () => {
  it('is sent before the session starts, and the session uses its response instead of a second read', async () => {
    const log: string[] = [];
    const widget = document.createElement('pay-invoice');
    widget.transport = createBackend(checkoutWithoutInvoice, log);
    document.body.append(widget);
    assert.deepEqual(log, ['read']);
    await until('options', () => widget.state.status === 'choosing');
    assert.deepEqual(log, ['read']);
    widget.remove();
  });

  it('is aborted when the transport is replaced before the first render', async () => {
    const signals: AbortSignal[] = [];
    const widget = document.createElement('pay-invoice');
    widget.transport = {
      ...createBackend(checkoutWithoutInvoice, []),
      read: (_, signal) => {
        signals.push(signal);
        return Promise.reject(new CheckoutError('network', 'no response'));
      },
    };
    document.body.append(widget);
    const log: string[] = [];
    widget.transport = createBackend(checkoutWithoutInvoice, log);
    await until('options', () => widget.state.status === 'choosing');
    assert.deepEqual([signals.map(({ aborted }) => aborted), log], [[true], ['read']]);
    widget.remove();
  });

  it('sets the status `lost` and dispatches one error event when it is rejected with not_found', async () => {
    const widget = document.createElement('pay-invoice');
    const errors: string[] = [];
    widget.addEventListener('pay-invoice-error', ({ error }) => errors.push(error.code));
    widget.transport = {
      ...createBackend(checkoutWithoutInvoice, []),
      read: () => Promise.reject(new CheckoutError('not_found', 'no')),
    };
    document.body.append(widget);
    await until('the error', () => errors.length > 0);
    assert.deepEqual([widget.state.status, errors], ['lost', ['not_found']]);
    widget.remove();
  });
});
