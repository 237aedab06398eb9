import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout } from './Checkout.tsx';

function Page({ id }: { id: string }) {
  const [message, setMessage] = useState('');
  return (
    <>
      <p id="message">{message}</p>
      <Checkout id={id} onPaid={(paidId) => setMessage(`Paid ${paidId}`)} />
    </>
  );
}

const id = new URLSearchParams(location.search).get('checkout') ?? '';
const root = document.querySelector('#app');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Page id={id} />
    </StrictMode>,
  );
