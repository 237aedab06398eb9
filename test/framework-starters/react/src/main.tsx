import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout } from './Checkout';

function App() {
  const [message, setMessage] = useState('');
  const id = new URLSearchParams(location.search).get('checkout') ?? '';
  return (
    <>
      <p role="status">{message}</p>
      <Checkout id={id} onPaid={(reference) => setMessage(`Paid ${reference}`)} />
    </>
  );
}

const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
