// How long a create may take, in milliseconds, from the service's QR to the payer's page: each limit is said by the one within it.

/** A request with a QR ends this much later than `qr.timeout`, so that the service's own error arrives before the timeout. */
export const qrMarginMs = 3000;

/**
 * One call of CreateInvoice, with the time that the service has for a QR. After a QR that could not be generated within its time,
 * there are 4 s for the request without it. What is not answered then is repeated by its attempt.
 */
export const createCallMs = (qrMs: number): number => Math.max(8000, qrMs + qrMarginMs + 1000);

/** The lease on a call ends this much later: the answer is committed, and the clocks of machines differ. */
export const leaseMarginMs = 1000;

/** How long the payer's page waits for the answer to its request for an invoice. */
export const pageWaitMs = 30_000;

/** How long the server's request waits for the fetch of the invoices that have ended, before a new invoice is refused. */
export const checkWaitMs = 5000;
/** How long all store calls of the request may take together. The commit of the service's response is not included. */
export const storeWaitMs = 3000;
/** How long the request waits for the commit of the service's response. After that, it ends and the commit continues. */
export const recordWaitMs = 1500;

/** How long the request waits for the call before it is answered without an invoice. The network has the rest of the page's time. */
export const callWaitMs = pageWaitMs - checkWaitMs - storeWaitMs - recordWaitMs - 8500;
