import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Clock, PageLifecycle } from '../../core.ts';
import type { AppLaunchHelp, AppLaunchState } from '../screens/screen-props.ts';

/** A bank's app that opens hides the page within this time, in ms. */
const launchMs = 2500;
/** How long a spinner shows that the bank's answer is awaited, in ms: from the click, and again from the payer's return. */
const spinningMs = 60_000;

/** Whether the payer has followed the link to the bank's app, as far as is known. */
export const isBankAwaited = ({ phase, isApp }: Pick<AppLaunchState, 'phase' | 'isApp'>): boolean =>
  isApp && !!phase && phase !== 'failed';

/** What has come of a click on a link. In-app browsers ignore those to a bank's app, and a frame's sandbox may forbid any. */
export class AppLaunch implements ReactiveController, AppLaunchState {
  /** `opening` until the payer is back from the app, or until it is clear that none opened; undefined without a click. */
  phase: AppLaunchState['phase'];
  isApp = false;
  /** Whether the bank's answer is awaited since so short a time that a spinner shows it. */
  isSpinning = false;
  /** What helps where no app has opened; undefined until that is known. */
  help: AppLaunchHelp | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  readonly #pageLifecycle: PageLifecycle;
  readonly #onFailure: () => void;
  #cancels: readonly (() => void)[] = [];

  /** @param onFailure - called when nothing opened */
  constructor(host: ReactiveControllerHost, clock: Clock, pageLifecycle: PageLifecycle, onFailure: () => void) {
    this.#host = host;
    this.#clock = clock;
    this.#pageLifecycle = pageLifecycle;
    this.#onFailure = onFailure;
    host.addController(this);
  }

  /** Ends what the last click has begun. */
  hostDisconnected(): void {
    this.#enter(undefined);
  }

  /**
   * Call it when a link to an app (`isApp`) or to another page is clicked. If the page stays visible for `launchMs`, no app has opened;
   * another page may have a window of its own, which takes the focus.
   */
  start(isApp: boolean): void {
    this.isApp = isApp;
    const stopTimer = this.#clock.schedule(launchMs, () => {
      if (!this.#pageLifecycle.isVisible() || !(isApp || document.hasFocus())) return;
      this.#enter('failed');
      this.#onFailure();
    });
    this.#enter(
      'opening',
      stopTimer,
      this.#pageLifecycle.onResume(() => this.#enter('opened')),
    );
  }

  #enter(phase: AppLaunchState['phase'], ...cancels: (() => void)[]): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = cancels;
    this.phase = phase;
    this.help = undefined;
    this.isSpinning = isBankAwaited(this);
    if (this.isSpinning)
      cancels.push(
        this.#clock.schedule(spinningMs, () => {
          this.isSpinning = false;
          this.#host.requestUpdate();
        }),
      );
    // An element that is removed is not rendered again.
    if (phase) this.#host.requestUpdate();
  }
}
