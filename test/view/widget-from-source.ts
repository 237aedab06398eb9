// The widget from its source, for the tests of its parts.
import '../../src/pay-invoice.ts';
import { loadPaymentScreens } from '../../src/view/controllers/payment-screens-loader.ts';

// Tests of the widget without its second file are in test/e2e/second-file-missing.test.ts.
await loadPaymentScreens();

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
