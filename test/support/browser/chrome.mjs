// Finds a Chrome/Chromium for tests, in this order: $CHROME_PATH; an installed Chrome/Chromium;
// the headless shell inside the npm package @sparticuz/chromium (linux x64, needs no apt and no download).
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Launcher } from 'chrome-launcher';

/** The folder of the unpacked browser. Not relative to this file, which tests bundle into files of other folders. */
const folder = resolve('node_modules/.cache/sparticuz');
/** The unpacking of this process. */
let unpacking;

/**
 * Writes a fontconfig file and returns its folder. The package's own file names only /tmp/fonts, and a browser that finds no
 * font crashes at the first text field.
 */
function writeFontConfig() {
  const configFolder = `${folder}/fontconfig`;
  mkdirSync(configFolder, { recursive: true });
  writeFileSync(
    `${configFolder}/fonts.conf`,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`,
  );
  return configFolder;
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

/**
 * Unpacks the browser into a folder of this process and renames that: two processes that start together would otherwise start
 * a program that the other is still writing.
 */
async function unpack() {
  if (existsSync(folder)) return;
  const ownFolder = `${folder}-${process.pid}`;
  mkdirSync(ownFolder, { recursive: true });
  await withEnvironment(
    { TMPDIR: ownFolder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' }, // The second variable makes the package unpack libnss3, libnspr4 and libexpat too.
    async () => (await import('@sparticuz/chromium')).default.executablePath(),
  );
  try {
    renameSync(ownFolder, folder);
  } catch (error) {
    rmSync(ownFolder, { recursive: true });
    if (!existsSync(folder)) throw error; // Otherwise another process was first.
  }
}

/** The Chromium of the npm package, with the fonts and libraries that a bare Debian lacks. */
async function bundledChrome(args) {
  await (unpacking ??= unpack());
  return {
    executablePath: `${folder}/chromium`,
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
    env: { ...process.env, FONTCONFIG_PATH: writeFontConfig(), LD_LIBRARY_PATH: `${folder}/al2023/lib` },
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
