// The conformance run: does a backend, in whatever language, serve the checkout API as docs/checkout-api.md says?
export { runCommandLine, type CommandEnvironment } from './conformance/command-line.ts';
export type { ConformanceOptions, OrderKind, Ports, Timeouts } from './conformance/conformance-options.ts';
export { CannotRun, type CheckResult, type Report, type Verdict } from './conformance/report.ts';
export { listChecks, runConformance, type ListedCheck } from './conformance/run-conformance.ts';
