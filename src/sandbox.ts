// `pay-invoice/sandbox`: the emulator of the invoice service, to run inside a program or a test.
export {
  createSandbox,
  SnapshotError,
  type Fault,
  type Sandbox,
  type SandboxOptions,
  type Settings,
} from './tools/sandbox/create-sandbox.ts';
