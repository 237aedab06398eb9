const storageKey = 'pay-invoice';

/**
 * Remembers in the tab's storage that an invoice with a QR was waiting. After a reload or a return from the bank, the QR
 * encoder is then requested at once. The checkout itself is not stored. The storage may be missing or forbidden.
 */
export const waitingInvoiceStorage = {
  get(): boolean {
    try {
      return sessionStorage.getItem(storageKey) !== null;
    } catch {
      return false; // The encoder is then requested after the first response.
    }
  },
  set(isWaiting: boolean): void {
    try {
      if (isWaiting) sessionStorage.setItem(storageKey, 'waiting');
      else sessionStorage.removeItem(storageKey);
    } catch {
      // The encoder is then requested after the first response.
    }
  },
};
