/** Programs that tests run in processes of their own. They are compiled with the tests: each of their starts then takes half the time. */
export const testedPrograms = [
  'scripts/simulate.ts',
  'src/bin/sandbox.ts',
  'src/bin/server.ts',
  'test/stores/process-that-loses-its-log.ts',
  'test/support/standalone-server-program.ts',
] as const;

export type TestedProgram = (typeof testedPrograms)[number];
