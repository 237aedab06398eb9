// The parts of a program that serves checkouts: its configuration from the environment, an HTTP server that cuts no response
// when it is closed, the widget's files, and a sandbox for trials.
export { readEnvironment, type Environment } from './standalone/environment/server-environment.ts';
export { closeServer, createHttpServer, listen } from './standalone/http-server.ts';
export { checkoutMarkup, type CheckoutMarkupOptions } from './standalone/pay-page/checkout-markup.ts';
export { createPayPage, type PayPage, type PayPageOptions } from './standalone/pay-page/handle-pay-page-request.ts';
export { openStore } from './standalone/open-store.ts';
export { serveMetrics } from './standalone/metrics-port.ts';
export { createLog, runProgram } from './standalone/run-program.ts';
export { startSandbox } from './standalone/in-process-sandbox.ts';
export { createWidgetHandler, type WidgetHandler } from './standalone/widget-files.ts';
