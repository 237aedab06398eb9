import { assert, expect } from '@open-wc/testing';
import type { ReactiveControllerHost } from 'lit';
import { pending, sbp } from '../../demo/gallery-checkouts.ts';
import type { PageLifecycle, CheckoutError, CheckoutState, Deadline } from '../../src/core.ts';
import { createTexts } from '../../src/i18n.ts';
import { en } from '../../src/i18n/en.ts';
import { Announcer } from '../../src/view/controllers/announcer.ts';
import { CopyController } from '../../src/view/controllers/copy.ts';
import { Countdown } from '../../src/view/controllers/countdown.ts';
import { QrController } from '../../src/view/controllers/qr.ts';
import { RescueController } from '../../src/view/controllers/app-launch-fallback.ts';
import { FakeClock, until } from './support.ts';

/** A host that counts the updates that were asked for. */
class Host implements ReactiveControllerHost {
  updates = 0;
  isConnected = true;
  readonly updateComplete = Promise.resolve(true);
  onUpdate = (): void => undefined;

  // The tests call the controllers themselves.
  addController(): void {
    this.updates = 0;
  }

  removeController(): void {
    this.updates = 0;
  }

  requestUpdate(): void {
    this.updates += 1;
    this.onUpdate();
  }
}

describe('the countdown', () => {
  const run = (deadline: Deadline | undefined): { ticks: () => number; clock: FakeClock; countdown: Countdown } => {
    let ticks = 0;
    const clock = new FakeClock();
    const countdown = new Countdown(new Host(), clock, () => {
      ticks += 1;
    });
    countdown.follow(deadline);
    return { ticks: () => ticks, clock, countdown };
  };

  const rows: readonly (readonly [title: string, left: number, pass: number, ticks: number])[] = [
    ['each second below an hour', 90_000, 10_000, 10],
    ['each minute below a day', 5 * 3_600_000, 600_000, 10],
    ['each hour from a day', 50 * 3_600_000, 10 * 3_600_000, 10],
    ['until zero and no longer', 3000, 60_000, 3],
  ];
  for (const [title, left, pass, wanted] of rows)
    it(`ticks ${title}`, () => {
      const { ticks, clock } = run({ at: left, span: left, certain: true });
      clock.tick(pass);
      assert.equal(ticks(), wanted);
    });

  it('never goes below zero', () => {
    const { clock, countdown } = run({ at: 3000, span: 3000, certain: true });
    clock.tick(100_000);
    assert.equal(countdown.left, 0);
    assert.equal(clock.pending, 0);
  });

  it('shows no time without a deadline that is certain', () => {
    for (const deadline of [undefined, { at: 3000, span: 3000, certain: false }]) {
      const { clock, countdown } = run(deadline);
      assert.equal(countdown.left, undefined);
      assert.equal(clock.pending, 0);
    }
  });

  it('leaves no timer when its host goes', () => {
    const { clock, countdown } = run({ at: 3000, span: 3000, certain: true });
    countdown.hostDisconnected();
    assert.equal(clock.pending, 0);
  });
});

describe('the announcer', () => {
  const connection = { failures: 0, error: undefined };
  const checkout = pending(sbp);
  const invoice = checkout.invoice ?? { id: '', amount: '0' };
  const waiting: CheckoutState = {
    status: 'waiting',
    checkout,
    invoice,
    connection,
    deadline: undefined,
    verifyingExpiry: false,
    slow: false,
  };
  const t = createTexts('en', en);

  it('tells the time at 180, 60 and 30 seconds and not in between', () => {
    const announcer = new Announcer();
    const said: string[] = [];
    for (let left = 300_000; left >= 0; left -= 1000) {
      announcer.look(waiting, left, t);
      if (said.at(-1) !== announcer.text) said.push(announcer.text);
    }
    assert.deepEqual(said, [en.waiting, 'Time left: 3 minutes', 'Time left: 1 minute', 'Time left: 30 seconds']);
  });

  it('does not tell a step that had passed before it looked', () => {
    const announcer = new Announcer();
    announcer.look(waiting, 50_000, t);
    announcer.look(waiting, 49_000, t);
    assert.equal(announcer.text, en.waiting);
  });

  it('tells that the bank may be checking, that the connection is lost, and the last check', () => {
    const announcer = new Announcer();
    const told = (state: CheckoutState): string => {
      announcer.look(state, undefined, t);
      return announcer.text;
    };
    assert.equal(told({ ...waiting, slow: true }), en.long);
    assert.equal(told({ ...waiting, connection: { failures: 1, error: undefined } }), en.stale);
    assert.equal(told({ ...waiting, verifyingExpiry: true }), en.checking);
  });

  it('says the same twice in a way that is heard twice', () => {
    const announcer = new Announcer();
    announcer.say('Copied');
    const first = announcer.text;
    announcer.say('Copied');
    assert.notEqual(announcer.text, first);
    assert.equal(announcer.text.trim(), 'Copied');
  });
});

describe('the rescue', () => {
  const run = (): { clock: FakeClock; rescue: RescueController; page: { visible: boolean; wake: () => void } } => {
    const clock = new FakeClock();
    const page = { visible: true, wake: (): void => undefined };
    const attention: PageLifecycle = {
      isVisible: () => page.visible,
      onResume(callback) {
        page.wake = callback;
        return () => (page.wake = () => undefined);
      },
    };
    return { clock, page, rescue: new RescueController(new Host(), clock, attention) };
  };

  it('comes when the page is still there after a link to a bank’s app', () => {
    const { clock, rescue } = run();
    rescue.watch();
    clock.tick(2400);
    assert.equal(rescue.stuck, false);
    clock.tick(200);
    assert.equal(rescue.stuck, true);
  });

  it('does not come when the app opened', () => {
    const { clock, rescue, page } = run();
    rescue.watch();
    page.visible = false;
    clock.tick(3000);
    assert.equal(rescue.stuck, false);
  });

  it('does not come when the payer has been away and is back', () => {
    const { clock, rescue, page } = run();
    rescue.watch();
    page.wake();
    clock.tick(3000);
    assert.equal(rescue.stuck, false);
    assert.equal(clock.pending, 0);
  });
});

describe('the copy controller', () => {
  it('goes through a copy event of the page where there is no clipboard, and says when that fails too', async () => {
    Object.defineProperty(window, 'isSecureContext', { configurable: true, value: false });
    const copy = new CopyController(new Host(), new FakeClock());
    const ok = await copy.copy({ field: 'phone', text: '+79001234567' }, document.body);
    Reflect.deleteProperty(window, 'isSecureContext');
    assert.deepEqual(copy.last, { text: '+79001234567', ok });
  });
});

describe('the QR controller', () => {
  it('draws one link at a time and drops the one before', async () => {
    const host = new Host();
    const ends: (CheckoutError | undefined)[] = [];
    const qr = new QrController(host, (error) => ends.push(error));
    qr.show('https://qr.example/first');
    qr.show('https://qr.example/second?'.padEnd(200, 'x'));
    const picture = await until('a picture', () => qr.picture);
    assert.equal(host.updates, 1);
    expect(picture.size).to.be.greaterThan(41);
    qr.show(undefined);
    assert.equal(qr.picture, undefined);
    assert.deepEqual(ends, [undefined]);
  });

  it('tells of a link that fits into no QR, and of none that was drawn after it', async () => {
    const ends: (CheckoutError | undefined)[] = [];
    const qr = new QrController(new Host(), (error) => ends.push(error));
    qr.show('x'.repeat(3000));
    const error = await until('an error', () => ends[0]);
    assert.equal(error.code, 'qr_failed');
    assert.isTrue(qr.failed);
    qr.show('https://qr.example/second');
    assert.isFalse(qr.failed);
    await until('a picture', () => qr.picture);
    assert.lengthOf(ends, 2);
  });
});
