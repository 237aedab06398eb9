import { assert, fixture, html } from '@open-wc/testing';
import { open, pending, sbp } from '../../demo/gallery-checkouts.ts';
import '../../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { CheckoutTransport, ReadAnswer } from '../../src/core.ts';
import { CheckoutError, createSessionPreview } from '../../src/core.ts';
import { createOptionsTranslator } from '../../src/i18n.ts';
import { ruOptions } from '../../src/locales/ru/payment-options.ts';
import { loadedPaymentPart } from '../../src/view/load-payment-part.ts';
import { optionsAnnouncement } from '../../src/view/screens/screens-before-invoice.ts';
import type { Checkout } from '../../src/protocol.ts';

// In a file of its own, because a page loads the second file once. The tests depend on their order: the third loads it.

async function until<T>(what: string, read: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + 45_000;
  for (;;) {
    const found = read();
    if (found != null && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A backend that logs its requests and answers at once. */
function backend(checkout: Checkout, log: string[]): CheckoutTransport {
  return {
    read: () => {
      log.push('read');
      return Promise.resolve<ReadAnswer>({ kind: 'checkout', checkout, etag: '"1"' });
    },
    createInvoice: () => {
      log.push('create');
      return Promise.resolve({ kind: 'created', checkout: pending(sbp) });
    },
  };
}

const isPaymentPartRequested = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/view/payment-part.ts'));

const find = (widget: Element, selector: string): HTMLElement | null | undefined =>
  widget.shadowRoot?.querySelector<HTMLElement>(selector);

describe('the widget until its second file is loaded', () => {
  it('does not load that file without a checkout', async () => {
    const { error } = console;
    console.error = () => undefined;
    await fixture<PayInvoiceElement>(html`<pay-invoice lang="ru"></pay-invoice>`);
    console.error = error;
    assert.isFalse(isPaymentPartRequested());
  });

  it('requests the checkout when it is connected, before it renders, and repeats no request when it is moved', async () => {
    const requested: string[] = [];
    const fetch = window.fetch.bind(window);
    window.fetch = (address) => {
      requested.push(address instanceof Request ? address.url : address.toString());
      return new Promise(() => undefined);
    };
    const widget = document.createElement('pay-invoice');
    widget.setAttribute('checkout', 'chk_early');
    document.body.append(widget);
    assert.deepEqual(requested, ['/checkout/chk_early']);
    assert.isFalse(widget.hasUpdated);
    assert.isFalse(isPaymentPartRequested());
    widget.remove();
    document.body.append(widget);
    widget.remove();
    await new Promise((resolve) => setTimeout(resolve));
    window.fetch = fetch;
    assert.deepEqual(requested, ['/checkout/chk_early']);
  });

  it('shows the options, takes what the payer does, and continues with it, all with one request each', async () => {
    const log: string[] = [];
    const widget = document.createElement('pay-invoice');
    widget.lang = 'ru';
    widget.transport = backend(open, log);
    const events: string[] = [];
    for (const name of ['ready', 'method-select', 'created'])
      widget.addEventListener(`pay-invoice-${name}`, () => events.push(name));
    document.body.append(widget);
    assert.deepEqual(log, ['read']);
    await until('options', () => find(widget, '[part=method]'));
    assert.isUndefined(loadedPaymentPart());
    const announced = (): string | undefined => find(widget, '[role=status]')?.textContent.trim();
    assert.equal(announced(), 'Способ оплаты');
    const radio = widget.shadowRoot?.querySelectorAll<HTMLInputElement>('[type=radio]')[1];
    radio?.click();
    await widget.updateComplete;
    assert.equal(widget.state.status === 'choosing' && widget.state.selected, 'pm_card');
    find(widget, '[part=continue]')?.click();
    await widget.updateComplete;
    assert.equal(widget.state.status, 'creating');
    assert.isNotNull(find(widget, '.skeleton'));
    assert.equal(announced(), 'Готовим реквизиты');
    assert.isUndefined(loadedPaymentPart());
    await until('requisites', () => find(widget, '[part=requisites]'));
    assert.isDefined(loadedPaymentPart());
    assert.deepEqual(log, ['read', 'create']);
    // `ready` means that the options are on the screen. The payer's choice comes after it, also before the session runs.
    assert.deepEqual(events, ['ready', 'method-select', 'created']);
    widget.remove();
  });
});

describe('what is announced until the second file is loaded', () => {
  it('is the loss of the connection, its return, and that an invoice is requested', () => {
    const texts = createOptionsTranslator('ru', ruOptions);
    const preview = createSessionPreview('');
    const announced = (): string | undefined => optionsAnnouncement(preview.getState(), texts);
    assert.equal(announced(), '');
    preview.fail(new CheckoutError('network', 'no answer'));
    assert.equal(announced(), 'Нет связи');
    preview.show(open);
    assert.equal(announced(), 'Способ оплаты');
    preview.createInvoice();
    assert.equal(announced(), 'Готовим реквизиты');
  });
});

describe('the first read, once the second file is loaded', () => {
  it('is begun before the session, and its answer is used once', async () => {
    const log: string[] = [];
    const widget = document.createElement('pay-invoice');
    widget.transport = backend(open, log);
    document.body.append(widget);
    assert.deepEqual(log, ['read']);
    await until('options', () => widget.state.status === 'choosing');
    assert.deepEqual(log, ['read']);
    widget.remove();
  });

  it('is aborted when the address changes before the first render', async () => {
    const signals: AbortSignal[] = [];
    const widget = document.createElement('pay-invoice');
    widget.transport = {
      ...backend(open, []),
      read: (_, signal) => {
        signals.push(signal);
        return Promise.reject(new CheckoutError('network', 'no answer'));
      },
    };
    document.body.append(widget);
    const log: string[] = [];
    widget.transport = backend(open, log);
    await until('options', () => widget.state.status === 'choosing');
    assert.deepEqual([signals.map(({ aborted }) => aborted), log], [[true], ['read']]);
    widget.remove();
  });

  it('reports its failure as any other read does', async () => {
    const widget = document.createElement('pay-invoice');
    const errors: string[] = [];
    widget.addEventListener('pay-invoice-error', ({ error }) => errors.push(error.code));
    widget.transport = { ...backend(open, []), read: () => Promise.reject(new CheckoutError('not_found', 'no')) };
    document.body.append(widget);
    await until('the error', () => errors.length > 0);
    assert.deepEqual([widget.state.status, errors], ['lost', ['not_found']]);
    widget.remove();
  });
});
