// A step of the release: `tsx scripts/check-release.ts`. The version of package.json is that of the lock file and of the OpenAPI
// documents, and has an entry in the changelog with a text.
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { toError } from '../src/base/thrown-value.ts';

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const manifest = z.object({ version: z.string() });
const openapi = z.object({ info: manifest });
const lock = manifest.extend({ packages: z.object({ '': manifest }) });

function faults(): readonly string[] {
  const { version } = manifest.parse(readJson('package.json'));
  const lockFile = lock.parse(readJson('package-lock.json'));
  const versions: Readonly<Record<string, string>> = {
    'package-lock.json': lockFile.version,
    'package-lock.json, its package': lockFile.packages[''].version,
    ...Object.fromEntries(
      readdirSync('docs/openapi').map((name) => [
        `docs/openapi/${name}`,
        openapi.parse(readJson(`docs/openapi/${name}`)).info.version,
      ]),
    ),
  };
  const others = Object.entries(versions).filter(([, other]) => other !== version);
  const entry = readFileSync('CHANGELOG.md', 'utf8')
    .split(/^## /m)
    .find((section) => section.startsWith(`${version}\n`));
  return [
    ...others.map(([file, other]) => `${file} has the version ${other}, package.json ${version}: npm run generate`),
    ...((entry?.trim().length ?? 0) > version.length ? [] : [`CHANGELOG.md says nothing of ${version}`]),
  ];
}

try {
  for (const fault of faults()) {
    console.error(fault);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(toError(error).message);
  process.exitCode = 1;
}
