import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { links, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { countMinute, countWork, startCountedServer } from './counted-visit.ts';
import { budgets, minuteBudget } from './work-budgets.ts';
import { openForFile } from '../support/open-for-file.ts';

/** An invoice whose displayed time changes once an hour. */
const checkoutWithDaysLeft = makePendingCheckout({ ...sbp, ...links, expires_in_ms: 50 * 3_600_000 });
/** An invoice whose displayed time changes each second. */
const checkoutWithMinutesLeft = makePendingCheckout({ ...sbp, ...links });

const browser = await openForFile(launchChromium());

describe('the work of the built widget', { timeout: 120_000 }, () => {
  for (const { name, checkout, selector, needsLazyFiles, budget } of [
    {
      name: 'until the options are painted',
      checkout: checkoutWithoutInvoice,
      selector: '[part=method]',
      needsLazyFiles: false,
      budget: budgets.options,
    },
    {
      name: 'until the QR of an invoice with days left is painted',
      checkout: checkoutWithDaysLeft,
      selector: 'svg[part=qr]',
      needsLazyFiles: true,
      budget: budgets.daysLeft,
    },
    {
      name: 'until the QR of an invoice with minutes left is painted',
      checkout: checkoutWithMinutesLeft,
      selector: 'svg[part=qr]',
      needsLazyFiles: true,
      budget: budgets.minutesLeft,
    },
  ])
    it(`is within its budget ${name}`, async () => {
      const server = await startCountedServer(checkout);
      const { work, timers, bytes } = await countWork(browser, server, selector, needsLazyFiles);
      server.close();
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
    server.close();
    assert.ok(shownTimes >= 59, `${shownTimes} times are shown`);
    const overruns = Object.entries(minuteBudget).filter(
      ([name, most]) => !(minute[name as keyof typeof minute] <= most),
    );
    assert.deepEqual(overruns, [], JSON.stringify(minute));
  });
});
