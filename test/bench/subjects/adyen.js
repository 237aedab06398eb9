// Drop-in in the advanced flow, with the three methods registered that are used; and the QR view from an action. Its own
// calls (status, pictures) go to the address of the bench. Analytics are off, the language is the one in its bundle.
import { AdyenCheckout, BankTransfer, Dropin, PromptPay, Swish } from '@adyen/adyen-web';
import '@adyen/adyen-web/styles/adyen.css';

const place = document.querySelector('#adyen');
const here = `${location.origin}/adyen/test/`;
const call = async (path, body) => {
  const init = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`/peer/adyen/${path}`, init)).json();
};

const checkout = (paymentMethodsResponse) =>
  AdyenCheckout({
    environment: 'test',
    _environmentUrls: { api: here, analytics: here, cdn: { images: here, translations: here } },
    clientKey: 'test_BENCH',
    locale: 'en-US',
    countryCode: 'TH',
    amount: { value: 150000, currency: 'THB' },
    analytics: { enabled: false },
    paymentMethodsResponse,
    onSubmit: async ({ data }, _component, { resolve }) => resolve(await call('payments', data)),
    onAdditionalDetails: () => undefined,
  });
const countdown = { countdownTime: 15 };

if (place.dataset.scene === 'choose') {
  const core = await checkout(await call('methods'));
  new Dropin(core, {
    paymentMethodComponents: [PromptPay, Swish, BankTransfer],
    paymentMethodsConfiguration: { promptpay: countdown },
  }).mount(place);
} else {
  AdyenCheckout.register(PromptPay);
  const [core, { action }] = await Promise.all([checkout(), call('action')]);
  core.createFromAction(action, countdown).mount(place);
}
