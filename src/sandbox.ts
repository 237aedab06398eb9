// `pay-invoice/sandbox`: the emulator of the invoice service, to run inside a program, a test or a page.
export {
  createSandbox,
  type Clock,
  type Fault,
  type Sandbox,
  type SandboxOptions,
  type Settings,
} from './sandbox/create-sandbox.ts';
