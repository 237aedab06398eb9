// The parts of a program that serves checkouts: its configuration from the environment, an HTTP server that cuts no response
// when it is closed, the widget's files, and a sandbox for trials.
export {
  readEnvironment,
  type DatabaseEnvironment,
  type Environment,
} from './standalone/environment/checkout-environment.ts';
export { EnvironmentError } from './standalone/environment/read-variables.ts';
export { closeServer, createDrain, createHttpServer, listen, type ClientTimeouts } from './standalone/http-server.ts';
export { checkoutMarkup, type CheckoutMarkupOptions } from './standalone/pay-page/checkout-markup.ts';
export { createPayPage, type PayPage, type PayPageOptions } from './standalone/pay-page/handle-pay-page-request.ts';
export { openStore } from './standalone/open-store.ts';
export { serveMetrics, type MetricsPortOptions, type PrivatePort } from './standalone/metrics-port.ts';
export { createLog, runProgram, type RunningProgram } from './standalone/run-program.ts';
export { startSandbox, type RunningSandbox } from './standalone/in-process-sandbox.ts';
export { createWidgetHandler, type WidgetHandler } from './standalone/widget-files.ts';
