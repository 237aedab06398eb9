// The widget from its source, for the tests of its parts.
import '../../src/pay-invoice.ts';
import { loadPaymentScreens } from '../../src/view/controllers/payment-screens-loader.ts';

// Tests of the widget without its second file are in test/e2e/second-file-missing.test.ts. A busy machine may take longer for the
// first transform of a file than the widget waits for it: so the lazily loaded files are imported without a time limit first.
await Promise.all([
  import('../../src/view/payment-screens.ts'),
  import('../../src/base/qr-encoder.ts'),
  import('../../src/locales/en.ts'),
  import('../../src/locales/kk.ts'),
  import('../../src/view/rarely-needed.ts'),
]);
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
