import { assert, expect } from '@open-wc/testing';
import { makePendingCheckout } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import {
  find,
  findAll,
  findButton,
  mount,
  mountState,
  nextEvent,
  rootOf,
  textOf,
  until,
} from './widget-from-source.ts';

describe('a click on a copy button', () => {
  const clipboard = { texts: [] as string[], rejects: false };
  before(() => {
    navigator.clipboard.writeText = (text) => {
      clipboard.texts.push(text);
      return clipboard.rejects ? Promise.reject(new DOMException('no', 'NotAllowedError')) : Promise.resolve();
    };
  });
  after(() => {
    Reflect.deleteProperty(navigator.clipboard, 'writeText');
  });
  beforeEach(() => Object.assign(clipboard, { texts: [], rejects: false }));

  it('copies the raw value, confirms it on the button, and then restores the button', async () => {
    const widget = await mountState('card', 'en');
    const copiedEvent = nextEvent(widget, 'pay-invoice-copied');
    findButton(widget, /^Copy Card number$/).click();
    assert.equal((await copiedEvent).field, 'card_number');
    assert.deepEqual(clipboard.texts, ['2200700112345672']);
    const label = find(widget, '[part=label]', HTMLElement);
    await until('the confirmation', () => textOf(label) === 'Card number · Copied');
    const status = find(widget, '[role=status]', HTMLElement);
    await until('the announcement', () => textOf(status).endsWith('Card number copied'));
    await until('the label', () => textOf(label) === 'Card number');
  });

  it('copies the amount in the form that bank apps accept', async () => {
    const widget = await mountState('sbp', 'en');
    findButton(widget, /^Copy Amount$/).click();
    await Promise.resolve();
    assert.deepEqual(clipboard.texts, ['1500']);
  });

  it('copies all values as lines that can be pasted into a message, with the amount, the bank, the deadline and the warning', async () => {
    const widget = await mountState('sbp');
    findButton(widget, /Скопировать все реквизиты/).click();
    await Promise.resolve();
    const [firstLine, ...lines] = (clipboard.texts[0] ?? '').replace(/[\u2068\u2069]/g, '').split('\n');
    assert.match(
      textOf(Object.assign(document.createElement('p'), { textContent: firstLine })),
      /^Ровно 1 500 ₽ одним переводом, до 20 ноября в \d\d:15 \S+$/,
    );
    assert.deepEqual(lines, [
      'Номер телефона: +79001234567',
      'Банк получателя: Т-Банк',
      'Выберите этот банк в\u00a0приложении',
      'Получатель: Мария Ивановна К.',
      'Банк покажет это имя. Если оно другое, не\u00a0переводите.',
      'Сумма: 1500',
    ]);
  });

  it('marks the copied value, and no other value with the same text', async () => {
    const widget = await mount(new Backend(makePendingCheckout({ bank_transfer: { account: '1', bik: '1' } })), 'en');
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    findButton(widget, /^Copy BIK$/).click();
    await until('the mark', () => rootOf(widget).querySelector('.done'));
    const markedLabels = findAll(widget, '[part=requisite]:has(.done) [part=label]').map(textOf);
    assert.deepEqual(markedLabels, ['BIK · Copied']);
  });

  it('selects the whole list when "Copy all" fails', async () => {
    clipboard.rejects = true;
    const widget = await mountState('everything', 'en');
    findAll(widget, 'summary')[1]?.click();
    findAll(widget, 'button')
      .filter((one) => textOf(one) === 'Copy all details')[1]
      ?.click();
    await until('the note', () => rootOf(widget).querySelector('.failed'));
    expect(getSelection()?.toString()).to.contain('MARIA K').and.not.to.contain('+7');
  });
});
