// The launcher with which the test runner starts WebKitGTK.
import { setWindowSize, startWebKit } from './webkit-driver.mjs';

/** The keys of WebDriver that tests press by name. */
const keys = {
  Tab: '\uE004',
  Enter: '\uE007',
  Escape: '\uE00C',
  Space: ' ',
  Backspace: '\uE003',
  Delete: '\uE017',
  Shift: '\uE008',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Home: '\uE011',
  End: '\uE010',
};

class WebKitLauncher {
  name = 'WebKit';
  type = 'webdriver';
  concurrency = 1;
  #addresses = new Map();
  #windowStarted;

  async startSession(id, url) {
    this.#windowStarted ??= startWebKit();
    this.name = `WebKit ${(await this.#windowStarted).version}`;
    this.#addresses.set(id, url);
    await this.#send('POST', '/url', { url });
  }

  isActive(id) {
    return this.#addresses.has(id);
  }

  getBrowserUrl(id) {
    return this.#addresses.get(id);
  }

  async stopSession(id) {
    this.#addresses.delete(id);
    await this.#send('POST', '/url', { url: 'about:blank' });
    return { testCoverage: undefined };
  }

  startDebugSession() {
    throw new Error('WebKit has no debug session here');
  }

  async stop() {
    const window = await this.#windowStarted?.catch(() => undefined);
    await window?.stop();
  }

  // The runner's commands call the following methods of a launcher whose type is webdriver.

  async sendKeys(_id, names) {
    const actions = names
      .map((name) => keys[name] ?? name)
      .flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#send('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  async sendMouseMove(_id, x, y) {
    await this.#point([{ type: 'pointerMove', duration: 0, x, y }]);
  }

  async sendMouseClick(_id, x, y, name = 'left') {
    const button = ['left', 'middle', 'right'].indexOf(name);
    const move = { type: 'pointerMove', duration: 0, x, y };
    await this.#point([move, { type: 'pointerDown', button }, { type: 'pointerUp', button }]);
  }

  /** For the command `viewport`. */
  async setViewport(size) {
    await setWindowSize((...command) => this.#send(...command), size);
  }

  async #point(actions) {
    const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
    await this.#send('POST', '/actions', { actions: [pointer] });
  }

  async #send(...command) {
    const window = await this.#windowStarted;
    return window.send(...command);
  }

  /** The runner calls this method first. Nothing has to be prepared. */
  async initialize() {}
}

export const webkitLauncher = () => new WebKitLauncher();
