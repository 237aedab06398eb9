import { assert } from '@open-wc/testing';
import { html, LitElement, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutState, type Deadline, type PageLifecycle } from '../../src/core.ts';
import { createTranslator } from '../../src/i18n.ts';
import { en } from '../../src/locales/en.ts';
import { AnnouncerController, type AnnouncerInput } from '../../src/view/controllers/screen-reader-announcer.ts';
import { AppLaunch } from '../../src/view/controllers/app-launch.ts';
import { CopyController } from '../../src/view/controllers/copying.ts';
import { CountdownController } from '../../src/view/screens/header.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A host that counts the requested updates. The tests call the controllers' hooks themselves. */
class FakeHost implements ReactiveControllerHost {
  updates = 0;
  isConnected = true;
  readonly updateComplete = Promise.resolve(true);

  addController(): void {
    this.updates = 0;
  }

  removeController(): void {
    this.updates = 0;
  }

  requestUpdate(): void {
    this.updates += 1;
  }
}

describe('the countdown', () => {
  const startCountdown = (
    deadline: Deadline | undefined,
  ): { ticks: () => number; clock: FakeClock; countdown: CountdownController } => {
    let ticks = 0;
    const clock = new FakeClock();
    const deadlineOfClock = deadline && { ...deadline, at: clock.now() + deadline.at };
    const countdown = new CountdownController(new FakeHost(), clock, {
      deadline: () => deadlineOfClock,
      onTick() {
        ticks += 1;
      },
    });
    countdown.hostUpdate();
    return { ticks: () => ticks, clock, countdown };
  };

  const rows: readonly (readonly [interval: string, remainingMs: number, passedMs: number, expectedTicks: number])[] = [
    ['each second below an hour', 90_000, 10_000, 10],
    ['each minute below a day', 5 * 3_600_000, 600_000, 10],
    ['each hour from a day', 50 * 3_600_000, 10 * 3_600_000, 10],
    ['until zero and no longer', 3000, 60_000, 3],
  ];
  for (const [interval, remainingMs, passedMs, expectedTicks] of rows)
    it(`ticks ${interval}`, () => {
      const { ticks, clock } = startCountdown({ at: remainingMs, span: remainingMs, certain: true });
      clock.tick(passedMs + 10);
      assert.equal(ticks(), expectedTicks);
    });

  it('never goes below zero', () => {
    const { clock, countdown } = startCountdown({ at: 3000, span: 3000, certain: true });
    clock.tick(100_000);
    assert.equal(countdown.remainingMs, 0);
    assert.equal(clock.pending, 0);
  });

  it('shows no time while there is no deadline or the deadline is uncertain', () => {
    for (const deadline of [undefined, { at: 3000, span: 3000, certain: false }]) {
      const { clock, countdown } = startCountdown(deadline);
      assert.equal(countdown.remainingMs, undefined);
      assert.equal(clock.pending, 0);
    }
  });

  it('leaves no timer when its host is disconnected', () => {
    const { clock, countdown } = startCountdown({ at: 3000, span: 3000, certain: true });
    countdown.hostDisconnected();
    assert.equal(clock.pending, 0);
  });
});

/** A screen of which the tests set the heading, the sentence below it and the status line. */
class FakeScreen extends LitElement {
  static override readonly properties = { heading: {}, sentence: {}, status: {} };
  heading = 'Transfer to a card';
  sentence = 'Exactly ₽1,500 in one transfer';
  status = 'Waiting';

  protected override render(): TemplateResult {
    return html`<div class="screen">
        <h3 tabindex="-1">${this.heading}</h3>
        <p>${this.sentence}</p>
        <p class="status">${this.status}</p>
      </div>
      <p role="status"></p>`;
  }
}
customElements.define('fake-screen', FakeScreen);

describe('the announcer', () => {
  const checkout = makePendingCheckout(sbp);
  const connection = { failures: 0, error: undefined };
  const waitingState: CheckoutState = {
    status: 'waiting',
    checkout,
    invoice: checkout.invoice ?? { id: '', amount: '0' },
    connection,
    deadline: undefined,
    verifyingExpiry: false,
    verifyingAmount: false,
    slow: false,
  };
  const lostState: CheckoutState = {
    ...waitingState,
    connection: { failures: 2, error: new CheckoutError('network', '') },
  };

  async function startAnnouncer(remainingMs?: number): Promise<{
    clock: FakeClock;
    announcer: AnnouncerController;
    input: { -readonly [K in keyof AnnouncerInput]: AnnouncerInput[K] };
    read: () => string;
    change: (changes: Partial<Pick<FakeScreen, 'heading' | 'sentence' | 'status'>>) => Promise<string>;
    screen: FakeScreen;
  }> {
    const clock = new FakeClock();
    const screen = new FakeScreen();
    const input = {
      state: waitingState,
      remainingMs,
      returnSeconds: undefined,
      isCheckShown: false,
      texts: createTranslator('en', en),
    };
    const announcer = new AnnouncerController(screen, clock, () => input);
    document.body.append(screen);
    await screen.updateComplete;
    const read = (): string => screen.renderRoot.querySelector('[role=status]')?.textContent ?? '';
    const change = async (changes: object): Promise<string> => {
      Object.assign(screen, changes).requestUpdate();
      await screen.updateComplete;
      return read();
    };
    return { clock, announcer, input, read, change, screen };
  }

  it('announces the heading with its sentence, the status line and the time, and empties the region after 5 s', async () => {
    const { clock, read } = await startAnnouncer(900_000);
    clock.tick(500);
    assert.equal(read(), 'Transfer to a card. Exactly ₽1,500 in one transfer. Waiting. Time left: 15 minutes');
    clock.tick(5100);
    assert.equal(read(), '');
  });

  it('announces the remaining time at 5, 3 and 1 minutes and 30 seconds, and not in between', async () => {
    const { announcer, input, clock, read } = await startAnnouncer(400_000);
    const announced: string[] = [];
    for (let remainingMs = 400_000; remainingMs >= 0; remainingMs -= 1000) {
      input.remainingMs = remainingMs;
      announcer.announceTime();
      if (read() && announced.at(-1) !== read()) announced.push(read());
      clock.tick(1000);
    }
    const times = ['5 minutes', '3 minutes', '1 minute', '30 seconds'].map((time) => `Time left: ${time}`);
    assert.deepEqual(announced.slice(1), times);
  });

  it('announces only what has changed: the status line, and that the connection is restored', async () => {
    const { input, change } = await startAnnouncer();
    assert.equal(await change({ status: 'Your bank may be checking' }), 'Your bank may be checking');
    input.state = lostState;
    assert.equal(await change({ status: 'The connection was lost' }), 'The connection was lost');
    input.state = waitingState;
    assert.equal(await change({ status: 'Your bank may be checking' }), 'Connected again.');
  });

  it('does not announce a heading that has the focus, or the status line while a check is shown', async () => {
    const { input, change, screen } = await startAnnouncer();
    screen.renderRoot.querySelector('h3')?.focus();
    assert.equal(await change({ heading: 'Time is up', sentence: 'Just wait.', status: '' }), 'Just wait.');
    input.isCheckShown = true;
    assert.equal(await change({ status: 'We do not see it yet.' }), 'Just wait.');
  });

  it('changes its text when the same text is announced twice, so that a screen reader reads it twice', async () => {
    const { announcer, read } = await startAnnouncer();
    announcer.announce('Copied');
    const firstText = read();
    announcer.announce('Copied');
    assert.notEqual(read(), firstText);
    assert.equal(read().trim(), 'Copied');
  });
});

describe('the app launch fallback', () => {
  const startFallback = (): {
    clock: FakeClock;
    page: { visible: boolean; resume: () => void };
    host: FakeHost;
    launch: AppLaunch;
    failures: () => number;
  } => {
    let failures = 0;
    const clock = new FakeClock();
    const page = { visible: true, resume: (): void => undefined };
    const lifecycle: PageLifecycle = {
      isVisible: () => page.visible,
      onResume(callback) {
        page.resume = callback;
        return () => (page.resume = () => undefined);
      },
    };
    const host = new FakeHost();
    const launch = new AppLaunch(host, clock, lifecycle, () => (failures += 1));
    launch.start(true);
    return { clock, page, host, launch, failures: () => failures };
  };

  it('reports that no app opened when the page is still visible 2.5 seconds after the click', () => {
    const { clock, failures } = startFallback();
    clock.tick(2400);
    assert.equal(failures(), 0);
    clock.tick(200);
    assert.equal(failures(), 1);
  });

  it('reports nothing when the app opened', () => {
    const { clock, failures, page } = startFallback();
    page.visible = false;
    clock.tick(3000);
    assert.equal(failures(), 0);
  });

  it('reports nothing when the payer has left the page and returned', () => {
    const { clock, failures, page } = startFallback();
    page.resume();
    clock.tick(3000);
    assert.equal(failures(), 0);
  });

  it('says that the app is opening, and that it has opened once the payer is back', () => {
    const { clock, launch, page } = startFallback();
    assert.equal(launch.phase, 'opening');
    page.visible = false;
    clock.tick(3000);
    assert.equal(launch.phase, 'opening');
    page.visible = true;
    page.resume();
    assert.equal(launch.phase, 'opened');
  });

  it('waits for no bank once it is clear that no app has opened', () => {
    const { clock, launch } = startFallback();
    assert.isTrue(launch.isSpinning);
    clock.tick(2600);
    assert.deepEqual([launch.phase, launch.isSpinning, clock.pending], ['failed', false, 0]);
  });

  it('shows a spinner for a minute from the return of the payer', () => {
    const { clock, launch, page } = startFallback();
    page.visible = false;
    clock.tick(70_000);
    assert.isFalse(launch.isSpinning);
    page.visible = true;
    page.resume();
    clock.tick(59_000);
    assert.isTrue(launch.isSpinning);
    clock.tick(1100);
    assert.deepEqual([launch.phase, launch.isSpinning, clock.pending], ['opened', false, 0]);
  });

  it('leaves no timer when its host is disconnected, and renders it no more', () => {
    const { clock, launch, host } = startFallback();
    const { updates } = host;
    launch.hostDisconnected();
    assert.deepEqual([launch.phase, clock.pending, host.updates], [undefined, 0, updates]);
  });
});

describe('the copy controller', () => {
  const phone = { field: 'phone', label: 'Phone number', text: '+79001234567' };
  const stubExecCommand = (value: () => boolean): unknown =>
    Object.defineProperty(document, 'execCommand', { configurable: true, value });

  beforeEach(() => Object.defineProperty(window, 'isSecureContext', { configurable: true, value: false }));
  afterEach(() => {
    Reflect.deleteProperty(window, 'isSecureContext');
    Reflect.deleteProperty(document, 'execCommand');
  });

  it('puts the value into a copy event of the page where there is no clipboard API', async () => {
    const data = new DataTransfer();
    // Firefox ignores the `clipboardData` that a ClipboardEvent is constructed with.
    const copyEvent = Object.defineProperty(new Event('copy', { cancelable: true }), 'clipboardData', { value: data });
    stubExecCommand(() => document.dispatchEvent(copyEvent));
    const copy = new CopyController(new FakeHost(), new FakeClock());
    assert.isTrue(await copy.copy(phone, document.body));
    assert.equal(data.getData('text/plain'), '+79001234567');
    assert.deepEqual(copy.last, { field: 'phone', text: '+79001234567', ok: true });
  });

  it('reports the failure and selects the displayed value where no copy event is dispatched', async () => {
    stubExecCommand(() => false);
    const displayedValue = document.body.appendChild(document.createElement('p'));
    displayedValue.textContent = '+7 900 123-45-67';
    const clock = new FakeClock();
    const copy = new CopyController(new FakeHost(), clock);
    assert.isFalse(await copy.copy(phone, displayedValue));
    assert.equal(getSelection()?.toString(), '+7 900 123-45-67');
    clock.tick(60_000);
    assert.deepEqual(copy.last, { field: 'phone', text: '+79001234567', ok: false });
    displayedValue.remove();
  });
});
