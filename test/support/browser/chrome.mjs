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
  if (forced && forced !== 'bundled') return { executablePath: forced, args, headless: true };
  if (!forced) {
    let found;
    try {
      found = Launcher.getFirstInstallation();
    } catch {
      /* none installed */
    }
    if (found && existsSync(found)) return { executablePath: found, args, headless: true };
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    // Unpack under node_modules, not the temporary folder: the package reuses whatever $TMPDIR/chromium exists, whatever its version.
    const { TMPDIR } = process.env;
    const dir = fileURLToPath(new URL('../../../node_modules/.cache/sparticuz/', import.meta.url));
    mkdirSync(dir, { recursive: true });
    process.env.TMPDIR = dir;
    process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs20.x'; // also unpack libnss3, libnspr4, libexpat and set LD_LIBRARY_PATH: a bare Debian lacks them
    process.env.FONTCONFIG_PATH ??= fontConfig(dir);
    try {
      const { default: bundled } = await import('@sparticuz/chromium');
      const executablePath = await bundled.executablePath();
      // not bundled.args: that has --single-process and --disable-web-security
      return {
        executablePath,
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
        headless: 'shell',
      };
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  }
  throw new Error(
    'No Chrome found. Install Chrome/Chromium, or run `npx @puppeteer/browsers install chrome@stable` and set CHROME_PATH.',
  );
}
