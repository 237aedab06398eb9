import { assert, expect } from '@open-wc/testing';
import { makePendingCheckout } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, findButton, mount, mountState, nextEvent, rootOf, textOf, until } from './render-widget.ts';

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
    await until('the announcement', () => textOf(status) === 'Copied');
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
    findButton(widget, /Скопировать всё/).click();
    await Promise.resolve();
    const [firstLine, ...lines] = (clipboard.texts[0] ?? '').replace(/[\u2068\u2069]/g, '').split('\n');
    assert.match(
      textOf(Object.assign(document.createElement('p'), { textContent: firstLine })),
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
    findAll(widget, '[part=requisite]:has(.done)').map((row) => textOf(row.querySelector('[part=value]')));

  it('marks the recipient that was copied and no recipient of another kind of requisites', async () => {
    const widget = await mountState('everything', 'en');
    const copyButtons = findAll(widget, '[title="Copy Recipient"]');
    const recipients = ['Мария Ивановна К.', 'MARIA K', 'ООО «Лист и глина»'];
    for (const [index, recipient] of recipients.entries()) {
      copyButtons[index]?.click();
      await until('the mark', () => markedValues(widget).includes(recipient));
      assert.equal(clipboard.texts.at(-1), recipient);
      assert.deepEqual(markedValues(widget), [recipient]);
    }
  });

  it('marks the copied value, and no other value with the same text', async () => {
    const widget = await mount(
      new Backend(makePendingCheckout({ sbp: { phone: '+79001234567', holder_name: 'ТБ' }, bank: { name: 'ТБ' } })),
      'en',
    );
    await until('the requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    findButton(widget, /^Copy Recipient$/).click();
    await until('the mark', () => rootOf(widget).querySelector('.done'));
    const markedLabels = findAll(widget, '[part=requisite]:has(.done) [part=label]').map(textOf);
    assert.deepEqual(markedLabels, ['Recipient · Copied']);
  });

  it('selects the whole list when "Copy all" fails', async () => {
    clipboard.rejects = true;
    const widget = await mountState('everything', 'en');
    findAll(widget, 'summary')[1]?.click();
    findAll(widget, 'button')
      .filter((one) => textOf(one) === 'Copy all')[1]
      ?.click();
    await until('the note', () => rootOf(widget).querySelector('.failed'));
    expect(getSelection()?.toString()).to.contain('MARIA K').and.not.to.contain('+7');
  });

  it('shows a note and selects the text when the clipboard rejects', async () => {
    clipboard.rejects = true;
    const widget = await mountState('sbp', 'en');
    let isDispatched = false;
    widget.addEventListener('pay-invoice-copied', () => (isDispatched = true));
    findButton(widget, /^Copy Phone number$/).click();
    const note = await until('the note', () => rootOf(widget).querySelector('.failed'));
    expect(textOf(note)).to.contain('Could not copy');
    assert.equal(isDispatched, false);
    assert.equal(getSelection()?.toString().replace(/\s/g, ''), '+79001234567');
  });
});
