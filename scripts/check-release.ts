// A step of the release: `tsx scripts/check-release.ts`. The version of package.json is that of the lock file and of the OpenAPI
// documents, and has an entry in the changelog with a text. In a workflow, package.json names its
// repository, without which npm refuses the provenance.
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { toError } from '../src/base/thrown-value.ts';

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const manifest = z.object({ version: z.string() });
const published = manifest.extend({ repository: z.object({ url: z.string() }).optional() });
const openapi = z.object({ info: manifest });
const lock = manifest.extend({ packages: z.object({ '': manifest }) });

function faults(): readonly string[] {
  const { version, repository } = published.parse(readJson('package.json'));
  const builtIn = process.env['GITHUB_REPOSITORY'] ?? '';
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
    ...((repository?.url ?? '').includes(builtIn) ? [] : [`package.json does not have the repository ${builtIn}`]),
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
