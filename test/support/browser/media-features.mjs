// The command `media-features` for tests: emulates media features that the stock command refuses, such as forced-colors,
// and returns whether the engine supports that.

/** One protocol session for each page: the emulation ends with its session. */
const sessions = new WeakMap();

export const mediaFeatures = {
  name: 'media-features',
  async executeCommand({ command, payload, session }) {
    if (command !== 'media-features') return undefined;
    const page = session.browser.type === 'puppeteer' ? session.browser.getPage(session.id) : undefined;
    if (page?.browser().protocol !== 'cdp') return { supported: false };
    if (!sessions.has(page)) sessions.set(page, await page.createCDPSession());
    await sessions.get(page).send('Emulation.setEmulatedMedia', { features: payload });
    return { supported: true };
  },
};
