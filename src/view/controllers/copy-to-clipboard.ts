import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock } from '../../core.ts';
import type { Copyable, CopyResult } from '../screens/screen-props.ts';

/** How long a successful copy is shown, in ms. */
const noteMs = 2500;

/** Without a clipboard API (plain http), the value is put into a copy event of the page. */
function copyByEvent(text: string): boolean {
  let done = false;
  const put = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    done = true;
  };
  document.addEventListener('copy', put, true);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on pages without a clipboard
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put, true);
  }
  return done;
}

async function write(text: string): Promise<boolean> {
  try {
    if (!('clipboard' in navigator) || !isSecureContext) return copyByEvent(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // The clipboard is missing, or the browser or the frame's policy forbids it.
  }
}

/** Copies a value within the click event, and stores the result as long as it is shown. */
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
    const ok = await write(text);
    if (!this.#host.isConnected) return ok;
    this.#cancel?.();
    this.last = { field, text, ok };
    this.#host.requestUpdate();
    if (ok) this.#cancel = this.#clock.schedule(noteMs, () => this.#forget());
    else if (shown) getSelection()?.selectAllChildren(shown);
    return ok;
  }

  #forget(): void {
    this.last = undefined;
    this.#host.requestUpdate();
  }
}
