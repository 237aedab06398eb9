// The width of the widget, as it is built, in parents that are not made for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launchChromiumTab } from '../support/chromium-tab.ts';
import { firefoxAndWebKitLaunchers, type BrowserTab } from '../support/firefox-and-webkit.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startHostSite } from './host-site.ts';
import { parents } from './parents.ts';
import { continueButton, readBox, waitForValue, widgetPart } from './widget-in-tab.ts';

/** The width of a scroll bar, which Firefox and WebKit may show. */
const scrollBar = 16;

type Launcher = (() => Promise<BrowserTab>) | undefined;
const site = await openForFile(startHostSite());

const launchers = { Chromium: () => launchChromiumTab(), ...firefoxAndWebKitLaunchers() };
const tabs = new Map<string, BrowserTab>();
for (const [name, launch] of Object.entries<Launcher>(launchers))
  if (launch) tabs.set(name, await openForFile(launch()));

for (const name of Object.keys(launchers))
  describe(`the widget in ${name}`, { skip: tabs.has(name) ? false : 'NOT INSTALLED', timeout: 600_000 }, () => {
    for (const { name: parent, body, room } of parents)
      it(`is as wide as there is room, and can be used, in ${parent}`, async () => {
        const tab = tabs.get(name);
        assert.ok(tab);
        for (const width of [320, 360, 1280]) {
          await tab.resize(width, 900);
          await tab.goto(site.addPage({ body }));
          await waitForValue(tab, continueButton);
          const windowWidth = Number(await tab.evaluate('innerWidth')); // WebKit's window is never as narrow as a phone's.
          const box = await readBox(tab);
          const least = Math.max(280, room(windowWidth) - scrollBar);
          const text = `${box.width} px in a window of ${windowWidth} px`;
          assert.ok(box.width >= least && box.width <= windowWidth, text);
          await tab.evaluate(`void ${continueButton}.scrollIntoView({ block: 'center' })`);
          await tab.click(continueButton);
          await waitForValue(tab, widgetPart('qr'));
          assert.ok(Math.abs((await readBox(tab)).width - box.width) <= scrollBar, 'another screen has another width');
        }
      });
  });
