// The widget from its source, for the tests of its parts.
import '../../src/pay-invoice.ts';
import { loadPaymentChunk } from '../../src/view/load-payment-chunk.ts';

// WebKit runs all files in one tab. The widget of an earlier file may have stored that an invoice waits; the next widget would
// then load the QR encoder at once.
sessionStorage.clear();

// Tests of the widget before the payment chunk is loaded are in before-payment-chunk.test.ts.
await loadPaymentChunk();

export {
  stateNamed,
  until,
  setPhone,
  rootOf,
  find,
  findAll,
  textOf,
  findButton,
  mount,
  mountState,
  expectNoFindings,
  typeAmount,
  nextEvent,
} from './mount-widget.ts';
