// Takes over the nodes that the server has rendered: the support for it has to come first.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import 'pay-invoice';

document.querySelector('pay-invoice')?.addEventListener('pay-invoice-paid', (event) => {
  const said = document.querySelector('#said');
  if (said !== null) said.textContent = `Paid ${event.checkout.id}`;
});
