// Finds a Chrome/Chromium for tests, in this order: $CHROME_PATH; an installed Chrome/Chromium;
// the headless shell inside the npm package @sparticuz/chromium (linux x64, needs no apt and no download).
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Launcher } from 'chrome-launcher';

/**
 * A fontconfig of our own: the package's names only /tmp/fonts, and without a single font the browser crashes at the
 * first text field.
 */
function fontConfig(dir) {
  const folder = `${dir}fontconfig`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${folder}/fonts.conf`,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${dir}fonts</dir><dir>/usr/share/fonts</dir><cachedir>${dir}fonts-cache</cachedir></fontconfig>
`,
  );
  return folder;
}

export async function chrome() {
  const root = process.getuid?.() === 0;
  const args = [
    '--disable-dev-shm-usage',
    '--force-color-profile=srgb',
    '--hide-scrollbars',
    ...(root || process.env.CI ? ['--no-sandbox'] : []),
  ];
  const forced = process.env.CHROME_PATH;
  if (forced && forced !== 'bundled') return { executablePath: forced, args, env: process.env, headless: true };
  if (!forced) {
    let found;
    try {
      found = Launcher.getFirstInstallation();
    } catch {
      /* none installed */
    }
    if (found && existsSync(found)) return { executablePath: found, args, env: process.env, headless: true };
  }
  if (process.platform === 'linux' && process.arch === 'x64') return bundledChrome(args);
  throw new Error(
    'No Chrome found. Install Chrome/Chromium, or run `npx @puppeteer/browsers install chrome@stable` and set CHROME_PATH.',
  );
}

/** Unpacked once for all callers: a program cannot be started while it is being written. */
let unpacked;

function unpack(dir) {
  return withEnvironment(
    { TMPDIR: dir, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' }, // The second variable: unpack libnss3, libnspr4 and libexpat too.
    async () => (await import('@sparticuz/chromium')).default.executablePath(),
  );
}

/** The package's own, with the fonts and libraries that a bare Debian lacks. */
async function bundledChrome(args) {
  // Unpacked under node_modules, not the temporary folder: the package reuses whatever $TMPDIR/chromium exists, whatever its version.
  const dir = fileURLToPath(new URL('../../../node_modules/.cache/sparticuz/', import.meta.url));
  mkdirSync(dir, { recursive: true });
  return {
    executablePath: await (unpacked ??= unpack(dir)),
    // Not the arguments of the package, which include --single-process and --disable-web-security.
    args: [
      ...new Set([
        ...args,
        '--no-sandbox',
        '--no-zygote',
        '--use-gl=angle',
        '--use-angle=swiftshader',
        '--font-render-hinting=none',
      ]),
    ],
    env: { ...process.env, FONTCONFIG_PATH: fontConfig(dir), LD_LIBRARY_PATH: `${dir}al2023/lib` },
    headless: 'shell',
  };
}

/**
 * Sets environment variables while `work` runs, and restores them: other browsers of this process need their own fonts and
 * libraries.
 */
async function withEnvironment(variables, work) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
