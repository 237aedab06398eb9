/** The demo keeps payment options for a second only: a fault that is set before an order shows in the order. */
export const shortCache = { optionsFreshMs: 1000, optionsStaleMs: 1000 };
