// One component, imported as its documents advise; the page fetches the link.
import '@shoelace-style/shoelace/dist/components/qr-code/qr-code.js';

const place = document.querySelector('#qr');
const { link } = await (await fetch(`/peer/invoice/${place.dataset.checkout}`)).json();
// Without a value it would draw the QR of nothing.
place.append(Object.assign(document.createElement('sl-qr-code'), { value: link, size: 320 }));
