import { assert } from '@open-wc/testing';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { bankLinkTo, isBankLink } from '../../src/base/bank-links.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, nextEvent, rootOf, setPhone, textOf, until } from './widget-from-source.ts';

const bankLinks = {
  Сбербанк: 'https://bank.example/pay?link={link}',
  'Т-Банк': 'bank100000000004://{path}',
};

/** Mounts a waiting payment, with these banks. */
async function mountWithBanks(banks: Record<string, string> | undefined): Promise<PayInvoiceElement> {
  const widget = await mount(new Backend(makePendingCheckout({ ...sbp, ...links })));
  widget.bankLinks = banks;
  await until('the link', () => rootOf(widget).querySelector('[part=qr-link]'));
  return widget;
}

const findBanks = (widget: Element): HTMLElement[] => findAll(widget, '.banks a');
const namesOf = (widget: Element): string[] => findBanks(widget).map(textOf);
const preventNavigation = (event: Event): void => event.preventDefault();

describe('the links of banks', () => {
  beforeEach(() => {
    localStorage.clear();
    setPhone(true);
    addEventListener('click', preventNavigation);
  });
  afterEach(() => {
    setPhone(false);
    removeEventListener('click', preventNavigation);
  });

  it('are tiles below the link to any bank’s app, and lead to the payment', async () => {
    const widget = await mountWithBanks(bankLinks);
    await until('the banks', () => findBanks(widget)[0]);
    assert.deepEqual(
      findBanks(widget).map((link) => [textOf(link), link.getAttribute('href')]),
      [
        ['Сбербанк', `https://bank.example/pay?link=${encodeURIComponent(links.nspk_url)}`],
        ['Т-Банк', `bank100000000004://${links.nspk_url.replace('https://', '')}`],
      ],
    );
    const group = find(widget, '[role=group]', HTMLElement);
    assert.equal(
      textOf(rootOf(widget).getElementById(group.getAttribute('aria-labelledby') ?? '')),
      'Или выберите свой банк',
    );
    const actions: string[] = [];
    widget.addEventListener('pay-invoice-action', ({ action }) => actions.push(action));
    findBanks(widget)[1]?.click();
    assert.deepEqual(actions, ['link_open']);
    await until('the status of a payment in a bank', () =>
      textOf(find(widget, '.status', HTMLElement)).startsWith('Ждём подтверждения банка'),
    );
    assert.deepEqual(namesOf(widget), ['Сбербанк', 'Т-Банк'], 'what was pressed keeps its place');
  });

  it('begin with the bank that was chosen last on this device', async () => {
    const widget = await mountWithBanks(bankLinks);
    await until('the banks', () => findBanks(widget)[0]);
    findBanks(widget)[1]?.click();
    const nextWidget = await mountWithBanks(bankLinks);
    await until('the banks', () => findBanks(nextWidget)[0]);
    assert.deepEqual(namesOf(nextWidget), ['Т-Банк', 'Сбербанк']);
  });

  it('work where the storage is blocked', async () => {
    const own = Object.getOwnPropertyDescriptor(window, 'localStorage');
    Object.defineProperty(window, 'localStorage', {
      configurable: true,
      get() {
        throw new DOMException('blocked', 'SecurityError');
      },
    });
    const widget = await mountWithBanks(bankLinks);
    await until('the banks', () => findBanks(widget)[0]);
    const opened = nextEvent(widget, 'pay-invoice-action');
    findBanks(widget)[0]?.click();
    assert.equal((await opened).action, 'link_open');
    if (own) Object.defineProperty(window, 'localStorage', own);
  });

  it('are not there without the setting, nor on a desktop, and nothing is stored', async () => {
    const widget = await mountWithBanks(undefined);
    find(widget, '[part=qr-link]', HTMLElement).click();
    assert.lengthOf(findAll(widget, '.banks'), 0);
    setPhone(false);
    const desktop = await mountWithBanks(bankLinks);
    await until('the QR', () => rootOf(desktop).querySelector('[part=qr]'));
    assert.lengthOf(findAll(desktop, '.banks'), 0);
    assert.lengthOf(localStorage, 0);
  });

  it('are left out where they are not safe or lead to no payment, which the merchant is told; six are shown', async () => {
    const widget = await mount(new Backend(makePendingCheckout(links)));
    const errorEvent = nextEvent(widget, 'pay-invoice-error');
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`Bank ${index}`, 'bank://{path}']));
    widget.bankLinks = { Wrong: 'javascript:alert("{link}")', ...many };
    const { error } = await errorEvent;
    assert.deepEqual([error.code, error.field], ['unsafe_link', 'bankLinks']);
    await until('the banks', () => findBanks(widget)[0]);
    assert.deepEqual(namesOf(widget), ['Bank 0', 'Bank 1', 'Bank 2', 'Bank 3', 'Bank 4', 'Bank 5']);
  });
});

describe('the link of a bank', () => {
  for (const template of [
    'javascript:alert(`{link}`)',
    'JavaScript:{link}',
    ' javascript:{link}',
    'java\nscript:{link}',
    'data:text/html,{link}',
    'blob:https://bank.example/{link}',
    'http://bank.example/{link}',
    'https://bank.example/',
    'https://bank.example/{link}/{path}',
    'https://bank.example/{other}',
    '//bank.example/{link}',
    '{link}',
    5,
    undefined,
  ])
    it(`is refused: ${JSON.stringify(template)}`, () => assert.isFalse(isBankLink(template)));

  it('has what the payment’s link has, whatever that is', () => {
    assert.equal(
      bankLinkTo("https://qr.nspk.ru/A?a=1&b=$&#'", 'bank://open?u={link}'),
      "bank://open?u=https%3A%2F%2Fqr.nspk.ru%2FA%3Fa%3D1%26b%3D%24%26%23'",
    );
    assert.equal(bankLinkTo('https://qr.nspk.ru/A?a=$&', 'bank1://{path}'), 'bank1://qr.nspk.ru/A?a=$&');
  });
});
