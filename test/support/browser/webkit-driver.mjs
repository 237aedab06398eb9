// WebKitGTK, controlled by WebDriver (Debian: webkit2gtk-driver and xvfb).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const libraries = '/usr/lib';
const versions = ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'];

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

async function send(url, method, body) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`WebDriver ${method} ${url}: ${value?.error} ${value?.message}`);
  return value;
}

/** Programs that are stopped together. */
class Programs {
  #children = [];

  /** Rejects when the program cannot be started. */
  async start(command, args, options) {
    const child = spawn(command, args, options);
    await once(child, 'spawn');
    this.#children.push(child);
    return child;
  }

  stop() {
    for (const child of this.#children.reverse()) child.kill();
  }

  /** Returns the current display, or starts a virtual one. */
  async display() {
    const { DISPLAY, WAYLAND_DISPLAY } = process.env;
    if (DISPLAY || WAYLAND_DISPLAY) return DISPLAY;
    const args = ['-displayfd', '3', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'];
    const server = await this.start('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const [number] = await once(server.stdio[3], 'data');
    return `:${String(number).trim()}`;
  }
}

async function waitUntilReady(base) {
  for (let tries = 300; ; tries -= 1) {
    const failure = await send(`${base}/status`, 'GET').then(
      () => undefined,
      (error) => error,
    );
    if (failure === undefined) return;
    if (tries === 0) throw failure;
    await delay(100);
  }
}

/**
 * Sets the size of the page: the window is larger by its frame, and the page has its new size only some time after the window.
 * The window cannot be narrower than its tool bar (about 450 px); the page then has that width.
 */
export async function setWindowSize(send, { width, height }) {
  const script = 'return [innerWidth, innerHeight]';
  const frame = { width: 0, height: 0 };
  let triesTooWide = 0;
  for (let tries = 50; tries > 0; tries -= 1) {
    await send('POST', '/window/rect', { width: width + frame.width, height: height + frame.height });
    await delay(20);
    const [innerWidth, innerHeight] = await send('POST', '/execute/sync', { script, args: [] });
    triesTooWide = innerWidth > width && innerWidth < 500 ? triesTooWide + 1 : 0;
    if (innerHeight === height && (innerWidth === width || triesTooWide === 3)) return;
    const window = await send('GET', '/window/rect');
    Object.assign(frame, { width: window.width - innerWidth, height: window.height - innerHeight });
  }
  throw new Error(`The page does not get the size ${width} x ${height}.`);
}

/** A WebKit window under the control of WebDriver. `send` sends it a command and resolves with the value. */
export async function startWebKit() {
  const programs = new Programs();
  const env = { ...process.env, WEBKIT_DISABLE_COMPOSITING_MODE: '1', NO_AT_BRIDGE: '1' };
  const display = await programs.display();
  if (display !== undefined) env.DISPLAY = display;
  const port = await freePort();
  await programs.start('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore', env });
  const base = `http://127.0.0.1:${port}`;
  await waitUntilReady(base);
  const browserOptions = { binary: miniBrowser(), args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
  const session = await send(`${base}/session`, 'POST', { capabilities });
  const window = `${base}/session/${session.sessionId}`;
  return {
    version: session.capabilities.browserVersion,
    send: (method, path, body) => send(window + path, method, body),
    async stop() {
      await send(window, 'DELETE').catch(() => undefined);
      programs.stop();
    },
  };
}
