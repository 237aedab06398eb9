import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { browserPageLifecycle, browserClock } from '../../src/client.ts';
import { newKey } from '../../src/client/browser-ports.ts';

/** An event target that counts its listeners. */
class CountingTarget extends EventTarget {
  listeners = 0;
  visibilityState = 'visible';

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners += 1;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners -= 1;
    super.removeEventListener(...args);
  }
}

describe('the page lifecycle of a browser', () => {
  const document = new CountingTarget();
  const window = new CountingTarget();
  Object.assign(globalThis, { document, window });
  afterEach(() => {
    document.visibilityState = 'visible';
  });

  it('calls back when the page is shown, focused, restored or online, and not when it is hidden', () => {
    let resumes = 0;
    const unsubscribe = browserPageLifecycle.onResume(() => (resumes += 1));
    document.dispatchEvent(new Event('visibilitychange'));
    for (const type of ['pageshow', 'focus', 'online', 'blur']) window.dispatchEvent(new Event(type));
    assert.equal(resumes, 4);
    document.visibilityState = 'hidden';
    assert.equal(browserPageLifecycle.isVisible(), false);
    document.dispatchEvent(new Event('visibilitychange'));
    window.dispatchEvent(new Event('online'));
    assert.equal(resumes, 4);
    unsubscribe();
  });

  it('does not take the first `pageshow` of a page for a return to it', () => {
    let resumes = 0;
    const unsubscribe = browserPageLifecycle.onResume(() => (resumes += 1));
    const show = (persisted: boolean) => Object.assign(new Event('pageshow'), { persisted });
    window.dispatchEvent(show(false));
    assert.equal(resumes, 0);
    window.dispatchEvent(show(true));
    assert.equal(resumes, 1);
    unsubscribe();
  });

  it('leaves no listener behind when all its callers have unsubscribed', () => {
    const unsubscribeFirst = browserPageLifecycle.onResume(() => undefined);
    const unsubscribeSecond = browserPageLifecycle.onResume(() => undefined);
    unsubscribeFirst();
    assert.ok(document.listeners > 0 && window.listeners > 0);
    unsubscribeSecond();
    assert.equal(document.listeners + window.listeners, 0);
  });
});

describe('the clock of a browser', () => {
  it('calls back for a negative delay, and does not call back after a cancellation', async () => {
    let hasCalledBack = false;
    browserClock.schedule(0, () => (hasCalledBack = true))();
    await new Promise<void>((resolve) => void browserClock.schedule(-5, resolve));
    assert.equal(hasCalledBack, false);
  });

  it('does not call back at once when the delay is a month', async () => {
    let hasCalledBack = false;
    const cancel = browserClock.schedule(31 * 86_400_000, () => (hasCalledBack = true));
    await new Promise<void>((resolve) => void browserClock.schedule(5, resolve));
    cancel();
    assert.equal(hasCalledBack, false);
  });
});

describe('an idempotency key', () => {
  it('is a random UUID of version 4, and differs from all others', () => {
    const keys = Array.from({ length: 1000 }, newKey);
    for (const key of keys) assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(new Set(keys).size, 1000);
  });
});
