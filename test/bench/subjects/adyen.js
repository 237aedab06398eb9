// `choose`: Drop-in in the advanced flow, with only the three methods registered that the page shows. Other scenes: the QR view
// from an action. Adyen's own calls (status, images) go to the bench's server. Analytics are off. The language is the bundle's.
import { AdyenCheckout, BankTransfer, Dropin, PromptPay, Swish } from '@adyen/adyen-web';
import '@adyen/adyen-web/styles/adyen.css';

const container = document.querySelector('#adyen');
const benchApi = `${location.origin}/adyen/test/`;
const callShop = async (path, body) => {
  const init = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`/peer/adyen/${path}`, init)).json();
};

const createCheckout = (paymentMethodsResponse) =>
  AdyenCheckout({
    environment: 'test',
    _environmentUrls: { api: benchApi, analytics: benchApi, cdn: { images: benchApi, translations: benchApi } },
    clientKey: 'test_BENCH',
    locale: 'en-US',
    countryCode: 'TH',
    amount: { value: 150000, currency: 'THB' },
    analytics: { enabled: false },
    paymentMethodsResponse,
    onSubmit: async ({ data }, _component, { resolve }) => resolve(await callShop('payments', data)),
    onAdditionalDetails: () => undefined,
  });
const countdown = { countdownTime: 15 };

if (container.dataset.scene === 'choose') {
  const core = await createCheckout(await callShop('methods'));
  new Dropin(core, {
    paymentMethodComponents: [PromptPay, Swish, BankTransfer],
    paymentMethodsConfiguration: { promptpay: countdown },
  }).mount(container);
} else {
  AdyenCheckout.register(PromptPay);
  const [core, { action }] = await Promise.all([createCheckout(), callShop('action')]);
  core.createFromAction(action, countdown).mount(container);
}
