/** How to launch a Chrome or Chromium: an installed one, or the one from npm. */
export function chrome(): Promise<{
  executablePath: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  headless: boolean | 'shell';
}>;
