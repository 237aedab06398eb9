// The command `viewport` for tests: sets the size of the page, also in engines that the stock command does not support.
export const viewport = {
  name: 'viewport',
  async executeCommand({ command, payload, session }) {
    if (command !== 'viewport') return undefined;
    const { browser, id } = session;
    await (browser.type === 'webdriver' ? browser.setViewport(payload) : browser.getPage(id).setViewport(payload));
    return true;
  },
};
