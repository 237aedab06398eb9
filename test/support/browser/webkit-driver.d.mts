/** The path of the browser that comes with the driver, or undefined when it is not installed. */
export function miniBrowser(): string | undefined;

type Send = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** Sets the size of the page. */
export function setWindowSize(send: Send, size: { readonly width: number; readonly height: number }): Promise<void>;

/** A WebKit window under the control of WebDriver. `send` sends it a command and resolves with the value. */
export function startWebKit(): Promise<{
  readonly version: string;
  readonly send: Send;
  readonly stop: () => Promise<void>;
}>;
