// The public interface of the element, against the tables of its documentation: strangers rely on each name.
import { assert, fixture, html } from '@open-wc/testing';
import { states } from '../../demo/gallery-states.ts';
import { PayInvoiceElement } from '../../src/element.ts';
import manifest from '../../package.json';
import { expectNoFindings, find, findAll, mount, mountState } from './widget-from-source.ts';

/** Attribute, property, the attribute's text, and the property's value then; `none` is the value without the attribute. */
const attributes: readonly (readonly [
  attribute: string,
  property: string,
  text: string,
  value: unknown,
  none: unknown,
])[] = [
  ['endpoint', 'endpoint', '/shop/checkout', '/shop/checkout', '/checkout'],
  ['checkout', 'checkout', 'chk_1', 'chk_1', ''],
  ['lang', 'lang', 'en', 'en', ''],
  ['theme', 'theme', 'dark', 'dark', 'auto'],
  ['method', 'method', 'SBP', 'SBP', ''],
  ['auto-continue', 'autoContinue', '', true, false],
  ['return-after', 'returnAfter', '5', 5, 0],
  ['phone-url', 'phoneUrl', '/pay', '/pay', ''],
  ['page-title', 'pageTitle', '', true, false],
];
const properties = ['initial', 'messages', 'transport', 'state', 'status'];
const methods = ['refresh', 'focus', 'continue'] as const;

/** The fields of each event: this compiles only if the document's map of events has them too. */
const eventFields = {
  'pay-invoice-ready': ({ checkout }) => [checkout.id],
  'pay-invoice-method-select': ({ option }) => [option.id],
  'pay-invoice-created': ({ invoice }) => [invoice.id],
  'pay-invoice-qr-shown': ({ invoice }) => [invoice.id],
  'pay-invoice-copied': ({ field }) => [field],
  'pay-invoice-status': ({ status, previous, serviceStatus }) => [status, previous, serviceStatus],
  'pay-invoice-paid': ({ checkout }) => [checkout.id],
  'pay-invoice-failed': ({ checkout }) => [checkout.id],
  'pay-invoice-expired': ({ checkout }) => [checkout.id],
  'pay-invoice-action': ({ action }) => [action],
  'pay-invoice-error': ({ error }) => [error.code, error.retryable, error.cause],
} satisfies { [K in keyof DocumentEventMap & `pay-invoice-${string}`]: (event: DocumentEventMap[K]) => unknown[] };

const parts =
  'base header amount badge methods method banks continue requisites requisite label value copy qr qr-link timer progress outcome ' +
  'actions error footer title description note input button';
/** `fallback` is not in the list: the element renders no slot of that name, so it is shown only before the definition. */
const slots =
  'logo header terms footer paid receipt failed expired closed support method-sbp method-card method-bank-transfer';
const entries =
  '. ./element ./dialog ./react ./vue ./svelte ./locales ./locales/* ./core ./checkout-api ./server ./sqlite ./postgres ./standalone ' +
  './testing ./sandbox ./conformance ./cdn/* ./custom-elements.json ./editor/* ./package.json';

const sortedWords = (text: string): string[] => text.split(' ').sort();
const namesOf = (widget: PayInvoiceElement, selector: string, attribute: string): string[] =>
  findAll(widget, selector).flatMap((element) => (element.getAttribute(attribute) ?? '').split(' '));

describe('the public interface of the element', () => {
  it('has the attributes, with their properties, values and defaults', async () => {
    assert.sameMembers(
      [...PayInvoiceElement.observedAttributes, 'lang'],
      attributes.map(([attribute]) => attribute),
    );
    for (const [attribute, property, text, value, none] of attributes) {
      const widget = await fixture<PayInvoiceElement>(html`<pay-invoice></pay-invoice>`);
      assert.equal(Reflect.get(widget, property) as unknown, none, property);
      widget.setAttribute(attribute, text);
      assert.equal(Reflect.get(widget, property) as unknown, value, property);
    }
  });

  it('has the properties and methods', async () => {
    const widget = await fixture<PayInvoiceElement>(html`<pay-invoice></pay-invoice>`);
    for (const name of properties) assert.isTrue(name in widget, name);
    for (const name of methods) assert.isFunction(Reflect.get(widget, name), name);
    for (const name of ['state', 'status']) assert.isFalse(Reflect.set(widget, name, 'paid'), name);
  });

  it('has the events, with their fields', () => {
    assert.lengthOf(Object.keys(eventFields), 11);
  });

  it('has the parts and slots, each in a state of the gallery, and no other part', async () => {
    const found = { parts: new Set<string>(), slots: new Set<string>() };
    await expectNoFindings(Object.keys(states), async (name) => {
      const widget = await mountState(name, 'en');
      for (const part of namesOf(widget, '[part]', 'part')) found.parts.add(part);
      for (const slot of namesOf(widget, 'slot[name]', 'name')) found.slots.add(slot);
      return [];
    });
    assert.deepEqual([...found.parts].sort(), sortedWords(parts));
    assert.includeMembers([...found.slots], sortedWords(slots));
  }).timeout(120_000);

  it('has the slot `terms` directly above the button that asks for requisites', async () => {
    const widget = await mountState('options', 'en');
    assert.equal(
      find(widget, '[part=continue]', HTMLButtonElement).previousElementSibling?.getAttribute('name'),
      'terms',
    );
  });

  it('is imported by the entries of the package', () => {
    assert.sameMembers(Object.keys(manifest.exports), sortedWords(entries));
  });
});

describe('the attribute `status`', () => {
  it('is absent before the first answer, and then the status of the checkout', async () => {
    const waiting = await mount({
      read: () => new Promise(() => undefined),
      createInvoice: () => Promise.reject(new Error()),
    });
    assert.isFalse(waiting.hasAttribute('status'));
    assert.isUndefined(waiting.status);
    for (const [state, status] of [
      ['options', 'open'],
      ['paid', 'paid'],
      ['failed', 'failed'],
      ['expired', 'expired'],
      ['closed', 'closed'],
      ['sbp', 'pending'],
    ] as const) {
      const widget = await mountState(state, 'en');
      assert.equal(widget.getAttribute('status'), status);
      assert.equal(widget.status, status);
    }
  });
});
