// One component, imported as the documentation of Shoelace advises. The page fetches the link.
import '@shoelace-style/shoelace/dist/components/qr-code/qr-code.js';

const container = document.querySelector('#qr');
const { link } = await (await fetch(`/peer/invoice/${container.dataset.checkout}`)).json();
// The element is created with its value, because without a value it would draw an empty QR first.
container.append(Object.assign(document.createElement('sl-qr-code'), { value: link, size: 320 }));
