// The test runner's launcher of WebKitGTK by WebDriver (Debian: webkit2gtk-driver and xvfb).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const libraries = '/usr/lib';
const versions = ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'];

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

/** The browser that comes with the driver: $MINIBROWSER_PATH, an installed one, or undefined. */
export function miniBrowser() {
  if (process.env.MINIBROWSER_PATH) return process.env.MINIBROWSER_PATH;
  const folders = existsSync(libraries) ? readdirSync(libraries) : [];
  const paths = folders.flatMap((folder) => versions.map((version) => `${libraries}/${folder}/${version}/MiniBrowser`));
  return paths.find((path) => existsSync(path));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A program that ends with its launcher; rejects when it cannot be started. */
async function program(command, args, options) {
  const child = spawn(command, args, options);
  await once(child, 'spawn');
  return child;
}

class WebKitLauncher {
  name = 'WebKit';
  type = 'webdriver';
  concurrency = 1;
  #base = '';
  #programs = [];
  #addresses = new Map();
  #ready;

  async startSession(id, url) {
    await (this.#ready ??= this.#start());
    this.#addresses.set(id, url);
    await this.#ask('POST', '/url', { url });
  }

  isActive(id) {
    return this.#addresses.has(id);
  }

  getBrowserUrl(id) {
    return this.#addresses.get(id);
  }

  async stopSession(id) {
    this.#addresses.delete(id);
    await this.#ask('POST', '/url', { url: 'about:blank' });
    return { testCoverage: undefined };
  }

  startDebugSession() {
    throw new Error('WebKit has no debug session here');
  }

  async stop() {
    if (this.#ready) await this.#ask('DELETE', '').catch(() => undefined);
    for (const child of this.#programs.reverse()) child.kill();
  }

  // What the runner's commands use, with a launcher whose type is webdriver.

  async sendKeys(_id, names) {
    const actions = names
      .map((name) => keys[name] ?? name)
      .flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#ask('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
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
    await this.#ask('POST', '/window/rect', { width, height });
    const script = 'return [innerWidth, innerHeight]';
    const [inner, tall] = await this.#ask('POST', '/execute/sync', { script, args: [] });
    await this.#ask('POST', '/window/rect', { width: 2 * width - inner, height: 2 * height - tall });
  }

  async #point(actions) {
    const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
    await this.#ask('POST', '/actions', { actions: [pointer] });
  }

  async #ask(method, path, body) {
    const response = await fetch(this.#base + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver ${path || '/session'}: ${value?.error} ${value?.message}`);
    return value;
  }

  async #display() {
    const { DISPLAY, WAYLAND_DISPLAY } = process.env;
    if (DISPLAY || WAYLAND_DISPLAY) return DISPLAY;
    const args = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
    const server = await program('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    this.#programs.push(server);
    const [number] = await once(server.stdio[3], 'data');
    return `:${String(number).trim()}`;
  }

  async #start() {
    const env = { ...process.env, WEBKIT_DISABLE_COMPOSITING_MODE: '1', NO_AT_BRIDGE: '1' };
    const display = await this.#display();
    if (display !== undefined) env.DISPLAY = display;
    const port = await freePort();
    const args = [`--port=${port}`, '--host=127.0.0.1'];
    this.#programs.push(await program('WebKitWebDriver', args, { stdio: 'ignore', env }));
    this.#base = `http://127.0.0.1:${port}`;
    for (let tries = 50; ; tries -= 1) {
      const failure = await this.#ask('GET', '/status').then(
        () => undefined,
        (error) => error,
      );
      if (failure === undefined) break;
      if (tries === 0) throw failure;
      await delay(100);
    }
    const browserOptions = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
    const session = await this.#ask('POST', '/session', { capabilities });
    this.#base += `/session/${session.sessionId}`;
    this.name = `WebKit ${session.capabilities.browserVersion}`;
  }

  /** The runner calls it before all else; it has nothing to prepare. */
  async initialize() {}
}

export const webkitLauncher = () => new WebKitLauncher();
