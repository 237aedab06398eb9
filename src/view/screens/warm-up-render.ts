import { render } from 'lit';
import type { CreatingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { loadedQrEncoder } from '../qr/load-qr-encoder.ts';
import { screenForState } from './screen-for-state.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';

const exampleLink = 'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02';

const exampleState = {
  status: 'waiting',
  invoice: { id: '', amount: '1', nspk_url: exampleLink, sbp: { phone: '+70000000000', holder_name: '-' } },
  deadline: undefined,
  verifyingExpiry: false,
  verifyingAmount: false,
  slow: false,
} as const;

/**
 * Renders an example of a waiting invoice, with its QR, into an element outside the page. Code takes several times as long
 * when it runs for the first time, so the real invoice is then shown sooner.
 */
export function renderExampleInvoice(
  { checkout, connection }: CreatingState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): void {
  const qrImage = loadedQrEncoder()?.drawQr(exampleLink);
  const screen = screenForState(
    { ...exampleState, checkout, connection },
    { ...props, qrLink: exampleLink, qrImage },
    on,
    t,
  );
  render(screen, document.createElement('div'));
}
