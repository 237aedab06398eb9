// `pay-invoice/conformance`: does a backend, in whatever language, serve the checkout API as docs/checkout-api.md says?
export type { ConformanceOptions, OrderKind } from './tools/conformance/conformance-options.ts';
export { CannotRun, type CheckResult, type Report, type Verdict } from './tools/conformance/report.ts';
export { runConformance } from './tools/conformance/run-conformance.ts';
