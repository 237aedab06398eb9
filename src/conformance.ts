// The conformance run: does a backend, in whatever language, serve the checkout API as docs/checkout-api.md says?
export { runCommandLine, type CommandEnvironment } from './tools/conformance/command-line.ts';
export type { ConformanceOptions, OrderKind, Ports } from './tools/conformance/conformance-options.ts';
export { CannotRun, type CheckResult, type Report, type Verdict } from './tools/conformance/report.ts';
export { listChecks, runConformance, type ListedCheck } from './tools/conformance/run-conformance.ts';
