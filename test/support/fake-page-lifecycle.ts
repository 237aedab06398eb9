import type { PageLifecycle } from '../../src/core.ts';

/** A page that a test hides, shows and resumes. */
export class FakePageLifecycle implements PageLifecycle {
  visible = true;
  readonly #listeners = new Set<() => void>();

  isVisible(): boolean {
    return this.visible;
  }

  onResume(callback: () => void): () => void {
    const listener = (): void => callback();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listeners as when the page is shown, focused, restored or back online: `times` events of the browser. */
  resume(times = 1): void {
    for (let n = 0; n < times; n += 1) for (const listener of [...this.#listeners]) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
