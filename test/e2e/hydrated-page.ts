// What a page with a checkout that a server has rendered loads.
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import '../../src/pay-invoice.ts';
