import 'pay-invoice';
import 'pay-invoice/react';
import { en } from 'pay-invoice/locales/en';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Checkout({ id }: { id: string }) {
  const [paid, setPaid] = useState('');
  return (
    <>
      <p id="said">{paid}</p>
      <pay-invoice
        checkout={id}
        theme="light"
        messages={{ ...en, proceed: 'Go on' }}
        onpay-invoice-paid={(event) => setPaid(`Paid ${event.checkout.id}`)}
      />
    </>
  );
}

const id = new URLSearchParams(location.search).get('checkout') ?? '';
const root = document.querySelector('#app');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Checkout id={id} />
    </StrictMode>,
  );
