// The conformance run: does a backend, in whatever language, serve the checkout API as docs/checkout-api.md says?
export { runCommandLine, type Surroundings } from './conformance/command-line.ts';
export type { ConformanceOptions, OrderKind } from './conformance/options.ts';
export type { Ports } from './conformance/ports.ts';
export { CannotRun, type CheckResult, type Report, type Verdict } from './conformance/report.ts';
export { listChecks, runConformance, type ListedCheck } from './conformance/run.ts';
export type { Tempo } from './conformance/timeouts.ts';
