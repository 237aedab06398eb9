import type { ReactiveController } from 'lit';
import type { BankLinks } from '../../base/bank-links.ts';
import { CheckoutError } from '../../core.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';
import type { PaymentScreensHost } from '../payment-screens-options.ts';
import type { BankTiles } from '../screens/screen-props.ts';
import { loadRarelyNeeded } from './qr-saver.ts';

/** The banks of the shop. Their file is loaded only where the shop has set links of banks. */
export class BankTilesLoader implements ReactiveController {
  /** Undefined without banks, and until their file has come. */
  tiles: BankTiles | undefined;
  readonly #host: PaymentScreensHost;
  readonly #onOpen: () => void;
  readonly #emit: (event: Event) => void;
  #bankLinks: BankLinks | undefined;

  /** @param onOpen - called when the link of a bank was clicked */
  constructor(host: PaymentScreensHost, onOpen: () => void, emit: (event: Event) => void) {
    this.#host = host;
    this.#onOpen = onOpen;
    this.#emit = emit;
    host.addController(this);
  }

  hostUpdate(): void {
    const { bankLinks } = this.#host;
    if (bankLinks === this.#bankLinks) return;
    this.#bankLinks = bankLinks;
    this.tiles = undefined;
    if (bankLinks) void this.#load(bankLinks);
  }

  /** Emits an error where one of the links is not safe to follow. */
  async #load(bankLinks: BankLinks): Promise<void> {
    const file = await loadRarelyNeeded().catch(() => undefined); // Any bank's app opens by the button above them.
    if (!file || bankLinks !== this.#bankLinks) return;
    this.tiles = file.createBankTiles(bankLinks, this.#onOpen);
    this.#host.requestUpdate();
    if (!file.areBankLinks(bankLinks))
      this.#emit(new CheckoutErrorEvent(new CheckoutError('unsafe_link', 'bankLinks', { field: 'bankLinks' })));
  }
}
