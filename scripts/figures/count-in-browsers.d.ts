interface Suite {
  readonly suites: readonly Suite[];
  readonly tests: readonly { readonly skipped?: boolean }[];
}

interface Session {
  readonly browser: { readonly name: string };
  readonly testResults: Suite | undefined;
}

export function countReporter(file: string): {
  onTestRunFinished: (run: { readonly sessions: readonly Session[] }) => void;
};
