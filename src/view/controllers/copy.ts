import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock } from '../../core.ts';
import type { Copied, Copyable } from '../handlers.ts';

/** How long a button tells that it has copied. */
const tellMs = 2500;

/** Where there is no clipboard (plain http), the value goes out through a copy event of the page. */
function copyByEvent(text: string): boolean {
  let done = false;
  const put = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    done = true;
  };
  document.addEventListener('copy', put, true);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on pages without a clipboard
  document.execCommand('copy');
  document.removeEventListener('copy', put, true);
  return done;
}

async function write(text: string): Promise<boolean> {
  if (!('clipboard' in navigator) || !isSecureContext) return copyByEvent(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false, // Refused by the page or its frame: the payer is told, and the text is selected instead.
  );
}

/** Copies values inside the click, and knows for a while how it went. */
export class CopyController implements ReactiveController {
  last: Copied | undefined;
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

  /** Resolves with whether it is copied. Where it is not, `shown` is selected and the note stays. */
  async copy({ text }: Copyable, shown: Node | null | undefined): Promise<boolean> {
    const ok = await write(text);
    if (!this.#host.isConnected) return ok;
    this.#cancel?.();
    this.last = { text, ok };
    this.#host.requestUpdate();
    if (ok) this.#cancel = this.#clock.schedule(tellMs, () => this.#forget());
    else if (shown) getSelection()?.selectAllChildren(shown);
    return ok;
  }

  #forget(): void {
    this.last = undefined;
    this.#host.requestUpdate();
  }
}
