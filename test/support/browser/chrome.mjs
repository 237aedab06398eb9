// Finds a Chrome/Chromium for tests, in this order: $CHROME_PATH; an installed Chrome/Chromium;
// the headless shell inside the npm package @sparticuz/chromium (linux x64, needs no apt and no download).
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Launcher } from 'chrome-launcher';

/**
 * Writes a fontconfig file and returns its folder. The package's own file names only /tmp/fonts, and a browser that finds no
 * font crashes at the first text field.
 */
function writeFontConfig(dir) {
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
  const isRoot = process.getuid?.() === 0;
  const args = [
    '--disable-dev-shm-usage',
    '--force-color-profile=srgb',
    '--hide-scrollbars',
    ...(isRoot || process.env.CI ? ['--no-sandbox'] : []),
  ];
  const chromePath = process.env.CHROME_PATH;
  if (chromePath && chromePath !== 'bundled')
    return { executablePath: chromePath, args, env: process.env, headless: true };
  if (!chromePath) {
    let installedPath;
    try {
      installedPath = Launcher.getFirstInstallation();
    } catch {
      /* none installed */
    }
    if (installedPath && existsSync(installedPath))
      return { executablePath: installedPath, args, env: process.env, headless: true };
  }
  if (process.platform === 'linux' && process.arch === 'x64') return bundledChrome(args);
  throw new Error(
    'No Chrome installedPath. Install Chrome/Chromium, or run `npx @puppeteer/browsers install chrome@stable` and set CHROME_PATH.',
  );
}

/** The path of the unpacked browser, which all callers share: a program cannot be started while it is being written. */
let unpackedPath;

function unpack(dir) {
  return withEnvironment(
    { TMPDIR: dir, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' }, // The second variable makes the package unpack libnss3, libnspr4 and libexpat too.
    async () => (await import('@sparticuz/chromium')).default.executablePath(),
  );
}

/** The Chromium of the npm package, with the fonts and libraries that a bare Debian lacks. */
async function bundledChrome(args) {
  // Not the default folder: the package would reuse an existing $TMPDIR/chromium, even of another version.
  const dir = fileURLToPath(new URL('../../../node_modules/.cache/sparticuz/', import.meta.url));
  mkdirSync(dir, { recursive: true });
  return {
    executablePath: await (unpackedPath ??= unpack(dir)),
    // The package's own arguments are not used: they include --single-process and --disable-web-security.
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
    env: { ...process.env, FONTCONFIG_PATH: writeFontConfig(dir), LD_LIBRARY_PATH: `${dir}al2023/lib` },
    headless: 'shell',
  };
}

/**
 * Sets environment variables while `work` runs, and restores them: other browsers of this process need their own fonts and
 * libraries.
 */
async function withEnvironment(variables, work) {
  const originalEnvironment = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in originalEnvironment)) delete process.env[name];
    Object.assign(process.env, originalEnvironment);
  }
}
