// Each kind of failed read has its own true text on each screen, and the merchant is told.
import { assert } from '@open-wc/testing';
import { render } from 'lit';
import { checkoutWithoutInvoice, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutErrorCode, type CheckoutTransport } from '../../src/core.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { createTranslator } from '../../src/i18n.ts';
import { en } from '../../src/locales/en.ts';
import { creatingScreen, creatingText } from '../../src/view/screens/outcome-screen.ts';
import { refusalText } from '../../src/view/screens/payment-texts.ts';
import { rootOf, textOf, until } from './widget-from-source.ts';

const shopLine = 'The shop isn’t responding. We keep checking.';
const rows: readonly (readonly [code: CheckoutErrorCode, heading: string, line: string])[] = [
  ['network', 'No connection', 'The connection was lost. We keep checking.'],
  ['timeout', 'No connection', 'The connection was lost. We keep checking.'],
  ['rate_limited', 'Too many requests', 'Too many requests. We’ll check again shortly.'],
  ['malformed', 'The shop’s answer can’t be read', 'The shop’s answer can’t be read. We keep checking.'],
  ['internal', 'The shop isn’t responding', shopLine],
  ['try_again', 'The shop isn’t responding', shopLine],
];

/** Mounts a widget whose reads fail; the first one is answered by `first`, where it is given. */
function mountFailing(code: CheckoutErrorCode, first?: Checkout): { widget: PayInvoiceElement; errors: string[] } {
  const errors: string[] = [];
  let isFirst = true;
  const transport: CheckoutTransport = {
    read() {
      const isAnswered = isFirst && first;
      isFirst = false;
      return isAnswered
        ? Promise.resolve({ kind: 'checkout', checkout: first, etag: undefined })
        : Promise.reject(new CheckoutError(code, 'the test refuses'));
    },
    createInvoice: () => Promise.reject(new Error('none expected')),
  };
  const widget = document.createElement('pay-invoice');
  widget.addEventListener('pay-invoice-error', ({ error }) => errors.push(error.code));
  Object.assign(widget, { lang: 'en', transport });
  document.body.append(widget);
  return { widget, errors };
}

describe('a failed read', () => {
  for (const [code, heading] of rows) {
    it(`has its own text on the first screen, and is reported: ${code}`, async () => {
      const { widget, errors } = mountFailing(code);
      const title = await until('the screen', () => rootOf(widget).querySelector('[part=outcome] h3'));
      assert.equal(textOf(title), heading);
      await until('the event', () => errors.includes(code));
      widget.remove();
    });
  }

  for (const [name, invoice, selector] of [
    ['beside the requisites', sbp, '.status.troubled'],
    ['when the time is up', { ...sbp, expires_in_ms: 0 }, '.checked.troubled'],
  ] as const)
    it(`has its own text ${name}`, async () => {
      const shown = { ...makePendingCheckout(invoice), poll_after_ms: 1000 };
      // All at once: each of them fails a second or two after it was mounted.
      const texts = rows.map(async ([code]) => {
        const { widget } = mountFailing(code, shown);
        const text = textOf(await until(`the text: ${code}`, () => rootOf(widget).querySelector(selector)));
        widget.remove();
        return [code, text];
      });
      const expected = rows.map(([code, , line]) => [code, line]);
      assert.deepEqual(await Promise.all(texts), expected);
    });
});

describe('a checkout that is not found', () => {
  for (const [title, first, text] of [
    ['at first', undefined, /The link has expired or is wrong/],
    [
      'any more',
      { ...makePendingCheckout(sbp), poll_after_ms: 1000, reference: '1001' },
      /do not send money.*Order number: 1001/s,
    ],
  ] as const)
    it(`has nothing to pay by, and says why, when it is not found ${title}`, async () => {
      const { widget, errors } = mountFailing('not_found', first);
      await until('the screen', () => widget.state.status === 'lost' && rootOf(widget).querySelector('[part=outcome]'));
      const shown = textOf(rootOf(widget).querySelector('.screen'));
      assert.match(shown, /Payment not found/);
      assert.match(shown, text);
      assert.isNull(rootOf(widget).querySelector('[part=requisites], [part=qr]'));
      assert.deepEqual(errors, ['not_found']);
      widget.remove();
    });
});

describe('a create request that has been in doubt for a minute', () => {
  it('has a way to another method, and one to the shop', () => {
    const checkout = { ...checkoutWithoutInvoice, status: 'pending' } as const;
    const connection = { failures: 0, error: undefined };
    const state = { status: 'creating', checkout, connection, methodId: 'pm_sbp', inDoubt: true, stuck: true } as const;
    let dismissed = 0;
    const on = { dismissInvoice: () => (dismissed += 1) };
    const place = document.createElement('div');
    render(creatingScreen(state, { creatingMs: 60_000 }, on, createTranslator('en', en)), place);
    place.querySelector('button')?.click();
    assert.equal(dismissed, 1);
    assert.equal(place.querySelector('a')?.href, checkout.return_urls.fail_url);
  });
});

describe('a text that promises that no money was taken', () => {
  const t = createTranslator('en', en);
  const promise = /no money (?:is|was) taken/i;
  const connection = { failures: 0, error: undefined };
  const ended = makeEndedCheckout('expired');
  /** The texts while a create has no answer, and after it was refused. */
  const textsOf = (checkout: Checkout): readonly string[] => {
    const state = { checkout, connection, status: 'creating', methodId: 'pm_sbp', inDoubt: true, stuck: true } as const;
    return [
      creatingText({ ...state, stuck: false }, t),
      creatingText(state, t),
      refusalText('try_again', { checkout }, t),
    ];
  };

  it('is shown before the first invoice, and never after it, because the payer may have paid it', () => {
    for (const text of textsOf(checkoutWithoutInvoice)) assert.match(text, promise);
    for (const text of textsOf(ended)) {
      assert.notMatch(text, promise);
      assert.match(text, /pay again|Try again/);
    }
  });

  it('is one of the texts that are tested here', () => {
    const promising = Object.entries(en).filter(([, text]) => typeof text === 'string' && promise.test(text));
    assert.deepEqual(
      promising.map(([key]) => key),
      ['creating.slow-text', 'creating.no-answer-text', 'refused.other'],
    );
  });
});
