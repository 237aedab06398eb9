const key = 'pay-invoice';
const waits = 'waiting';

/**
 * Whether an invoice with a QR was waiting in this tab when the page was left: after a reload or the way back from the bank
 * the QR encoder is then requested at once. Which checkout it was is not stored. Storage may be missing or refused.
 */
export const rememberedInvoice = {
  get(): boolean {
    try {
      return sessionStorage.getItem(key) === waits;
    } catch {
      return false; // The encoder is requested after the first response.
    }
  },
  set(isWaiting: boolean): void {
    try {
      if (isWaiting) sessionStorage.setItem(key, waits);
      else sessionStorage.removeItem(key);
    } catch {
      // The encoder is requested after the first response.
    }
  },
};
