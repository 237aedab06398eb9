// Writes a page without a bundler. Its scripts have integrity hashes.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const integrityFile = fileURLToPath(import.meta.resolve('pay-invoice/cdn/integrity.json'));
const integrity = JSON.parse(readFileSync(integrityFile, 'utf8'));
cpSync(dirname(integrityFile), 'dist', { recursive: true });

const chunks = Object.entries(integrity).filter(([name]) => /^pay-invoice\.(en|qr)/.test(name));
const importMap = JSON.stringify({ integrity: Object.fromEntries(chunks.map(([name, hash]) => [`./${name}`, hash])) });

const renderPage = (head) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Pay</title>
    ${head}
  </head>
  <body>
    <p id="message"></p>
    <pay-invoice></pay-invoice>
    <script>
      const widget = document.querySelector('pay-invoice');
      widget.setAttribute('checkout', new URLSearchParams(location.search).get('checkout'));
      widget.addEventListener('pay-invoice-paid', (event) => {
        document.querySelector('#message').textContent = 'Paid ' + event.checkout.reference;
      });
    </script>
  </body>
</html>
`;

const integrityAttributes = (name) => `integrity="${integrity[name]}" crossorigin`;
writeFileSync(
  'dist/module.html',
  renderPage(`<script type="importmap">${importMap}</script>
    <script type="module" src="./pay-invoice.js" ${integrityAttributes('pay-invoice.js')}></script>`),
);
