import { lazyChunk } from '../../base/import-with-retry.ts';
import type { QrImage } from '../../base/qr-modules.ts';
import { ActionEvent } from '../pay-invoice.events.ts';
import type { PaymentScreensHost } from '../payment-screens-options.ts';
import type { QrController } from './qr.ts';

export const [loadRarelyNeeded] = lazyChunk(() => import('../rarely-needed.ts'), 'saveQr');

/** Saves the QR as a file. */
export class QrSaver {
  readonly #host: PaymentScreensHost;
  readonly #qr: QrController;
  readonly #onUnsaved: (picture: string) => void;
  #unsaved: { readonly image: QrImage; readonly picture: string } | undefined;

  /** @param onUnsaved - called with what `picture` returns then */
  constructor(host: PaymentScreensHost, qr: QrController, onUnsaved: (picture: string) => void) {
    this.#host = host;
    this.#qr = qr;
    this.#onUnsaved = onUnsaved;
  }

  /** Set where the browser has not saved the present QR: the URL of a PNG to press and hold, or '' where no image can be shown. */
  get picture(): string | undefined {
    return this.#unsaved?.image === this.#qr.qrImage ? this.#unsaved?.picture : undefined;
  }

  async save(): Promise<void> {
    this.#host.dispatchEvent(new ActionEvent('qr_save'));
    const { qrImage: image } = this.#qr;
    const { state } = this.#host;
    const name = 'checkout' in state ? state.checkout.reference : null;
    const file = await loadRarelyNeeded().catch(() => undefined); // The next click tries again.
    if (!image || image !== this.#qr.qrImage) return;
    const picture = file ? await file.saveQr(image, name ?? 'qr') : '';
    if (image !== this.#qr.qrImage) return;
    this.#unsaved = picture === undefined ? undefined : { image, picture };
    this.#host.requestUpdate();
    if (picture !== undefined) this.#onUnsaved(picture);
  }
}
