import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock } from '../../core.ts';
import type { Copyable, CopyResult } from '../screens/screen-props.ts';

/** How long a successful copy is shown, in ms. */
const resultMs = 2500;

/**
 * Copies without the clipboard API (plain http, a frame of another origin): puts the text into a copy event of the page. Returns
 * whether it worked.
 */
function copyByEvent(text: string): boolean {
  let isCopied = false;
  const putText = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    isCopied = true;
  };
  document.addEventListener('copy', putText, true);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without the clipboard API
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', putText, true);
  }
  return isCopied;
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is missing, or the policy of a frame from another origin forbids it. A copy event may be allowed.
    return copyByEvent(text);
  }
}

/** Copies a value while the click event is handled, and stores the result as long as it is shown. */
export class CopyController implements ReactiveController {
  /** The result of the last copy, as long as it is shown. */
  last: CopyResult | undefined;
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.last = undefined;
  }

  /** Resolves with whether the value was copied. On failure `shown` is selected, and the result stays. */
  async copy({ field, text }: Copyable, shown: Node | null | undefined): Promise<boolean> {
    const isCopied = await writeToClipboard(text);
    if (!this.#host.isConnected) return isCopied;
    this.#cancel?.();
    this.last = { field, text, ok: isCopied };
    this.#host.requestUpdate();
    if (isCopied) this.#cancel = this.#clock.schedule(resultMs, () => this.#forget());
    else if (shown) getSelection()?.selectAllChildren(shown);
    return isCopied;
  }

  #forget(): void {
    this.last = undefined;
    this.#host.requestUpdate();
  }
}
