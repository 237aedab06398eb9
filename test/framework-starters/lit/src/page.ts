// Hydrates the nodes that the server has rendered. Lit's hydration support has to be imported first.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import 'pay-invoice';

document.querySelector('pay-invoice')?.addEventListener('pay-invoice-paid', (event) => {
  const message = document.querySelector('#message');
  if (message !== null) message.textContent = `Paid ${event.checkout.id}`;
});
