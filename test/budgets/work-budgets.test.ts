import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { links, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { countMinute, countWork, startCountedServer, type Work } from './counted-visit.ts';

interface Budget {
  /** The most that may be loaded, in bytes of gzip. */
  readonly bytes: number;
  /** The most calls of `setTimeout` and `setInterval`. */
  readonly timers: number;
  /**
   * Exact counts: a higher count is a regression, a lower count becomes the new budget. The counts of style and layout are
   * maxima, because two lazily loaded files may arrive in either order. The second file adds to the screen of the first, which
   * takes a style recalculation more than one file would; so does what is said beside a QR only once it is drawn.
   */
  readonly work: Work;
}

const daysLeft = {
  bytes: 53_670,
  timers: 9,
  work: { requests: 5, modules: 3, styleRecalculations: 8, layouts: 4, intlConstructions: 3 },
} as const satisfies Budget;

/** The budgets of visits to the file for a CDN, in Russian. */
const budgets = {
  /** Until the options are painted. Files that are loaded lazily are held back until then. */
  options: {
    bytes: 27_365,
    timers: 3,
    work: { requests: 4, modules: 1, styleRecalculations: 4, layouts: 2, intlConstructions: 0 },
  },
  /** Until the QR of an invoice with days left is painted. Two formatters write the time left, a third one the deadline. */
  daysLeft,
  /** Until the QR of an invoice that ends within the hour is painted. It needs no formatter. */
  minutesLeft: { ...daysLeft, work: { ...daysLeft.work, intlConstructions: 0 } },
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * Maxima for a minute of waiting in which the backend sends no response. The time left takes one timer a second, and changes only
 * a text node, for which no styles are recalculated; the bar below it takes a recalculation every 15 s.
 */
const minuteBudget = { requests: 4, timers: 85, styleRecalculations: 10, animations: 0 } as const;

/** An invoice whose displayed time changes once an hour. */
const checkoutWithDaysLeft = makePendingCheckout({ ...sbp, ...links, expires_in_ms: 50 * 3_600_000 });
/** An invoice whose displayed time changes each second. */
const checkoutWithMinutesLeft = makePendingCheckout({ ...sbp, ...links });

const browser = await openForFile(launchChromium());

describe('the work of the built widget', { timeout: 120_000 }, () => {
  for (const [name, checkout, selector, budget] of [
    ['the options are painted', checkoutWithoutInvoice, '[part=method]', budgets.options],
    ['the QR of an invoice with days left is painted', checkoutWithDaysLeft, 'canvas[part=qr]', budgets.daysLeft],
    [
      'the QR of an invoice with minutes left is painted',
      checkoutWithMinutesLeft,
      'canvas[part=qr]',
      budgets.minutesLeft,
    ],
  ] as const)
    it(`is within its budget until ${name}`, async () => {
      const server = await startCountedServer(checkout);
      const { work, timers, bytes } = await countWork(browser, server, selector, budget !== budgets.options);
      await server.close();
      const { styleRecalculations, layouts, ...exactCounts } = work;
      const { styleRecalculations: maxStyleRecalculations, layouts: maxLayouts, ...expectedCounts } = budget.work;
      assert.deepEqual(exactCounts, expectedCounts);
      assert.ok(
        styleRecalculations <= maxStyleRecalculations,
        `${styleRecalculations} style recalculations, at most ${maxStyleRecalculations}`,
      );
      assert.ok(layouts <= maxLayouts, `${layouts} layouts, at most ${maxLayouts}`);
      assert.ok(timers <= budget.timers, `${timers} timers, at most ${budget.timers}`);
      assert.ok(bytes <= budget.bytes, `${bytes} bytes, at most ${budget.bytes}`);
    });

  it('is within its budget in a minute of waiting, in which the time left changes each second', async () => {
    const server = await startCountedServer(checkoutWithMinutesLeft);
    const { shownTimes, ...minute } = await countMinute(browser, server);
    await server.close();
    assert.ok(shownTimes >= 59, `${shownTimes} times are shown`);
    const overruns = Object.entries(minuteBudget).filter(
      ([name, most]) => !(minute[name as keyof typeof minute] <= most),
    );
    assert.deepEqual(overruns, [], JSON.stringify(minute));
  });
});
