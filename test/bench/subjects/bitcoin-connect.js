// The payment view without its modal. The page fetches the invoice and polls its status, as the package's README shows.
import '@getalby/bitcoin-connect';

const view = document.querySelector('bc-payment');
const url = `/peer/invoice/${view.dataset.checkout}`;
const { bolt11 } = await (await fetch(url)).json();
view.setAttribute('invoice', bolt11);
setInterval(async () => {
  const { paid } = await (await fetch(url)).json();
  if (paid) view.setAttribute('paid', 'paid');
}, 2000);
