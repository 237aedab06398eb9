/** The path of the browser that comes with the driver, or undefined when it is not installed. */
export function miniBrowser(): string | undefined;

/** A WebKit window under the control of WebDriver. `send` sends it a command and resolves with the value. */
export function startWebKit(): Promise<{
  readonly version: string;
  readonly send: (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}>;
