// The page of the payer's bank. The payment link leads to it, and its buttons call the sandbox in the shop's tab.
import { byId, button, create } from './dom-helpers.ts';
import { requestFromShopTabs } from './in-page/bank-tab-messages.ts';
import { currentTheme } from './page-header.ts';
import { currentLanguage, formatRoubles, text } from './page-texts.ts';

/** An invoice of the sandbox, as its control API returns it. */
interface SandboxInvoice {
  readonly id: string;
  readonly amount: string;
  readonly status: string;
  readonly nspk_url: string;
}

/** The invoice in the URL: `#/pay/inv_…` from the payment link, or `#/qr/AD…` from the QR. */
async function findInvoice(): Promise<SandboxInvoice | undefined> {
  const [, kind, name = ''] = location.hash.replace(/\?.*/, '').split('/');
  if (kind === 'pay') return (await requestFromShopTabs('GET', `invoices/${name}`)) as SandboxInvoice | undefined;
  const response = (await requestFromShopTabs('GET', 'invoices')) as
    { invoices: readonly SandboxInvoice[] } | undefined;
  return response?.invoices.find(({ nspk_url }) => nspk_url.includes(`/qr/${name}`));
}

function showInvoice(invoice: SandboxInvoice | undefined): void {
  if (invoice === undefined) {
    byId('bank').replaceChildren(create('h1', {}, text('bankNone')), create('p', {}, text('bankNoneText')));
    return;
  }
  const actionButton = (label: 'pay' | 'fail', className: string): HTMLButtonElement =>
    button(text(label), className, () => {
      void requestFromShopTabs('POST', `invoices/${invoice.id}/${label}`).then((changedInvoice) =>
        showInvoice(changedInvoice as SandboxInvoice | undefined),
      );
    });
  byId('bank').replaceChildren(
    create('h1', {}, text('bankTitle')),
    create('p', { className: 'amount' }, formatRoubles(invoice.amount)),
    ...(invoice.status === 'PENDING'
      ? [create('p', { className: 'buttons' }, actionButton('pay', 'primary'), actionButton('fail', ''))]
      : [create('p', { role: 'status' }, text('bankDone', { status: invoice.status }))]),
    create('p', { className: 'note' }, text('bankSimulated')),
  );
}

document.documentElement.lang = currentLanguage();
document.documentElement.dataset['theme'] = currentTheme();
document.title = text('bankTitle');
showInvoice(await findInvoice());
