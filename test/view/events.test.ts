import { assert, fixture, html } from '@open-wc/testing';
import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { PayInvoiceElement } from '../../src/element.ts';
import { Backend } from './changeable-backend.ts';
import { find, findAll, mount, mountState, nextEvent, rootOf, stateNamed, until } from './widget-from-source.ts';

const eventNames = [
  'ready',
  'method-select',
  'created',
  'qr-shown',
  'copied',
  'action',
  'status',
  'paid',
  'failed',
  'expired',
  'error',
];

function recordEvents(target: EventTarget): string[] {
  const eventsSeen: string[] = [];
  for (const name of eventNames) target.addEventListener(`pay-invoice-${name}`, () => eventsSeen.push(name));
  return eventsSeen;
}

describe('the events', () => {
  it('report each step of a payment once, from the methods to paid, and bubble to the document', async () => {
    const eventsSeen = recordEvents(document);
    const backend = new Backend();
    const widget = await mount(backend);
    await until('ready', () => eventsSeen.includes('ready'));
    findAll(widget, '[type=radio]')[1]?.click();
    find(widget, '[part=continue]', HTMLButtonElement).click();
    await until('requisites', () => rootOf(widget).querySelector('[part=requisites]'));
    const paid = nextEvent(widget, 'pay-invoice-paid');
    backend.setCheckout({ ...makePendingCheckout(sbp), status: 'paid' });
    await widget.refresh();
    assert.equal((await paid).checkout.status, 'paid');
    assert.deepEqual(
      eventsSeen.filter((name) => name !== 'status'),
      ['ready', 'method-select', 'created', 'paid'],
    );
  });

  it('report options that came with the page only when the texts of its language are loaded', async () => {
    let areOptionsShown: boolean | undefined;
    const listener = (event: Event): void => {
      areOptionsShown = event.target instanceof PayInvoiceElement && findAll(event.target, '[type=radio]').length > 0;
    };
    document.addEventListener('pay-invoice-ready', listener, { once: true });
    const transport = transportOf(stateNamed('loading'));
    await fixture(
      html`<pay-invoice lang="kk" .initial=${checkoutWithoutInvoice} .transport=${transport}></pay-invoice>`,
    );
    await until('the event', () => areOptionsShown !== undefined);
    assert.isTrue(areOptionsShown);
  });

  it('let the page reject the choice of a method with preventDefault()', async () => {
    const widget = await mountState('options');
    widget.addEventListener('pay-invoice-method-select', (event) => {
      if (event.option.id === 'pm_card') event.preventDefault();
    });
    findAll(widget, '[type=radio]')[1]?.click();
    await widget.updateComplete;
    assert.deepEqual(
      findAll(widget, '[type=radio]').map((radio) => radio.matches(':checked')),
      [true, false, false, false],
    );
  });

  it('report the QR when it is rendered', async () => {
    const eventsSeen = recordEvents(document);
    const widget = await mountState('qr');
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    await until('the event', () => eventsSeen.includes('qr-shown'));
  });

  it('report an initial checkout that cannot be decoded, and the element loads the checkout instead', async () => {
    const errorEvent = new Promise<Event>((resolve) => {
      document.addEventListener('pay-invoice-error', resolve, { once: true });
    });
    const widget = await fixture<PayInvoiceElement>(
      html`<pay-invoice lang="en" .transport=${new Backend()}>
        <script type="application/json">
          { "id": 1 }
        </script>
      </pay-invoice>`,
    );
    assert.equal(Reflect.get(Reflect.get(await errorEvent, 'error'), 'code'), 'malformed');
    await until('options', () => widget.state.status === 'choosing');
  });
});
