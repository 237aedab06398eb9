import { assert } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import { makeEndedCheckout, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { Backend } from './changeable-backend.ts';
import { find, mount, rootOf, textOf, until } from './widget-from-source.ts';

/** Mounts a widget in a page of this width. The text is that of the order beside the screen, or '' if it is not shown. */
async function mountWithOrder(
  checkout: Checkout,
  width: number,
): Promise<readonly [text: string, widget: PayInvoiceElement]> {
  await executeServerCommand('viewport', { width, height: 700 });
  const widget = await mount(new Backend(checkout), 'en');
  const orderLines = document.createElement('p');
  orderLines.slot = 'order';
  orderLines.textContent = 'Ficus × 1';
  widget.append(orderLines);
  await until('the order', () => rootOf(widget).querySelector('.order'));
  const order = find(widget, '.order', HTMLElement);
  const slotted = [...widget.children].map(textOf).join();
  return [order.getClientRects().length > 0 ? `${textOf(order)} ${slotted}`.trim() : '', widget];
}

describe('the order beside the screen', () => {
  after(() => executeServerCommand('viewport', { width: 800, height: 600 }));

  const orderDetails = { description: 'Leaf & Clay', reference: '4821-7360' };

  it('has the number and the shop’s lines in the wide layout, and is not shown in the narrow one', async () => {
    for (const checkout of [
      { ...checkoutWithoutInvoice, ...orderDetails },
      { ...makePendingCheckout(sbp), ...orderDetails },
    ]) {
      assert.equal((await mountWithOrder(checkout, 1024))[0], 'Order number: 4821-7360 Ficus × 1');
      assert.equal((await mountWithOrder(checkout, 360))[0], '');
    }
  });

  it('does not repeat a number that the description or the screen has', async () => {
    assert.equal(
      (await mountWithOrder({ ...checkoutWithoutInvoice, description: 'Order 1001', reference: '1001' }, 1024))[0],
      'Ficus × 1',
    );
    const [order, widget] = await mountWithOrder({ ...makeEndedCheckout('paid'), ...orderDetails }, 1024);
    assert.equal(order, 'Ficus × 1');
    assert.include(textOf(rootOf(widget).querySelector('dl')), '4821-7360');
  });
});
