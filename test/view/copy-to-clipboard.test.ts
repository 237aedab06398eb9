import { assert, expect } from '@open-wc/testing';
import { pending } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import { all, button, find, mount, mountState, nextEvent, rootOf, textOf, until } from './render-widget.ts';

describe('copying', () => {
  const clipboard = { texts: [] as string[], refuse: false };
  before(() => {
    navigator.clipboard.writeText = (text) => {
      clipboard.texts.push(text);
      return clipboard.refuse ? Promise.reject(new DOMException('no', 'NotAllowedError')) : Promise.resolve();
    };
  });
  after(() => {
    Reflect.deleteProperty(navigator.clipboard, 'writeText');
  });
  beforeEach(() => Object.assign(clipboard, { texts: [], refuse: false }));

  it('copies the raw value, confirms it on the button, and then restores the button', async () => {
    const widget = await mountState('card', 'en');
    const copied = nextEvent(widget, 'pay-invoice-copied');
    button(widget, /^Copy Card number$/).click();
    assert.equal((await copied).field, 'card_number');
    assert.deepEqual(clipboard.texts, ['2200700112345672']);
    const label = find(widget, '[part=label]', HTMLElement);
    await until('the confirmation', () => textOf(label) === 'Card number · Copied');
    const status = find(widget, '[role=status]', HTMLElement);
    await until('the announcement', () => textOf(status) === 'Copied');
    await until('the label', () => textOf(label) === 'Card number');
  });

  it('copies the amount in the form that bank apps accept', async () => {
    const widget = await mountState('sbp', 'en');
    button(widget, /^Copy Amount$/).click();
    await Promise.resolve();
    assert.deepEqual(clipboard.texts, ['1500']);
  });

  it('copies all values as lines that can be pasted into a message, with the amount, the bank, the deadline and the warning', async () => {
    const widget = await mountState('sbp');
    button(widget, /Скопировать всё/).click();
    await Promise.resolve();
    const [first, ...lines] = (clipboard.texts[0] ?? '').replace(/[\u2068\u2069]/g, '').split('\n');
    assert.match(
      textOf(Object.assign(document.createElement('p'), { textContent: first })),
      /^Ровно 1 500,00 ₽ одним переводом, только в Т-Банк, до 20 ноября в \d\d:15 .*\S\.$/,
    );
    assert.deepEqual(lines, [
      'Номер телефона: +79001234567',
      'Банк получателя: Т-Банк',
      'Получатель: Мария Ивановна К.',
      'Сумма: 1500',
      'Ваш банк покажет это имя. Имя другое? Не переводите.',
    ]);
  });

  /** The values that are marked as copied. */
  const markedValues = (widget: Element): string[] =>
    all(widget, '[part=requisite]:has(.done)').map((row) => textOf(row.querySelector('[part=value]')));

  it('marks the recipient that was copied and no recipient of another kind of requisites', async () => {
    const widget = await mountState('everything', 'en');
    const copies = all(widget, '[title="Copy Recipient"]');
    const recipients = ['Мария Ивановна К.', 'MARIA K', 'ООО «Лист и глина»'];
    for (const [index, recipient] of recipients.entries()) {
      copies[index]?.click();
      await until('the mark', () => markedValues(widget).includes(recipient));
      assert.equal(clipboard.texts.at(-1), recipient);
      assert.deepEqual(markedValues(widget), [recipient]);
    }
  });

  it('marks what was copied, and not another value with the same text', async () => {
    const widget = await mount(
      new Backend(pending({ sbp: { phone: '+79001234567', holder_name: 'ТБ' }, bank: { name: 'ТБ' } })),
      'en',
    );
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    button(widget, /^Copy Recipient$/).click();
    await until('the mark', () => rootOf(widget).querySelector('.done'));
    const marked = all(widget, '[part=requisite]:has(.done) [part=label]').map(textOf);
    assert.deepEqual(marked, ['Recipient · Copied']);
  });

  it('selects the list that could not be copied as a whole', async () => {
    clipboard.refuse = true;
    const widget = await mountState('everything', 'en');
    all(widget, 'summary')[1]?.click();
    all(widget, 'button')
      .filter((one) => textOf(one) === 'Copy all')[1]
      ?.click();
    await until('the note', () => rootOf(widget).querySelector('.failed'));
    expect(getSelection()?.toString()).to.contain('MARIA K').and.not.to.contain('+7');
  });

  it('shows that it failed and selects the text', async () => {
    clipboard.refuse = true;
    const widget = await mountState('sbp', 'en');
    let isDispatched = false;
    widget.addEventListener('pay-invoice-copied', () => (isDispatched = true));
    button(widget, /^Copy Phone number$/).click();
    const failed = await until('the note', () => rootOf(widget).querySelector('.failed'));
    expect(textOf(failed)).to.contain('Could not copy');
    assert.equal(isDispatched, false);
    assert.equal(getSelection()?.toString().replace(/\s/g, ''), '+79001234567');
  });
});
