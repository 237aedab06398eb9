// The test runner's launcher of WebKitGTK.
import { startWebKit } from './webkit-driver.mjs';

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
  #ready;

  async startSession(id, url) {
    this.#ready ??= startWebKit();
    this.name = `WebKit ${(await this.#ready).version}`;
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
    const window = await this.#ready?.catch(() => undefined);
    await window?.stop();
  }

  // What the runner's commands use, with a launcher whose type is webdriver.

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
  async setViewport({ width, height }) {
    await this.#send('POST', '/window/rect', { width, height });
    const script = 'return [innerWidth, innerHeight]';
    const [inner, tall] = await this.#send('POST', '/execute/sync', { script, args: [] });
    await this.#send('POST', '/window/rect', { width: 2 * width - inner, height: 2 * height - tall });
  }

  async #point(actions) {
    const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
    await this.#send('POST', '/actions', { actions: [pointer] });
  }

  async #send(...command) {
    const window = await this.#ready;
    return window.send(...command);
  }

  /** The runner calls it before all else; it has nothing to prepare. */
  async initialize() {}
}

export const webkitLauncher = () => new WebKitLauncher();
