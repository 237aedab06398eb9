/** The browser that comes with the driver, or undefined where it is not installed. */
export function miniBrowser(): string | undefined;

/** A window of WebKit that is driven: `ask` sends a command of WebDriver to it and resolves with the value. */
export function startWebKit(): Promise<{
  readonly version: string;
  readonly ask: (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}>;
