// The command `viewport` for tests: the size of the page, also where the stock command knows no way.
export const viewport = {
  name: 'viewport',
  async executeCommand({ command, payload, session }) {
    if (command !== 'viewport') return undefined;
    const { browser, id } = session;
    await (browser.type === 'webdriver' ? browser.setViewport(payload) : browser.getPage(id).setViewport(payload));
    return true;
  },
};
