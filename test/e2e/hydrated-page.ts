// The script of a page with a server-rendered checkout.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import '../../src/pay-invoice.ts';
