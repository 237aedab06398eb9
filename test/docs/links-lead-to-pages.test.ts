import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { documents, shippedDocuments } from './documents.ts';

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const prose = readFileSync(path, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    for (let duplicates = 0; ; duplicates += 1) {
      const anchor = duplicates === 0 ? slug : `${slug}-${duplicates}`;
      if (anchors.has(anchor)) continue;
      anchors.add(anchor);
      break;
    }
  }
  return anchors;
}

/** The links of a text, in lines of prose and of tables. */
function linksOf(prose: string): readonly string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

for (const { path, prose } of documents)
  test(`the links of ${path} lead to existing files and headings`, () => {
    for (const link of linksOf(prose).filter((one) => !/^(?:https?|mailto):/.test(one))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      assert.ok(existsSync(target), `${link}: there is no ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(target).has(anchor), `${link}: there is no such heading`);
    }
  });

/** What the package has beside its documents: package.json, `files`. */
const shippedFolders = /^(?:docs\/(?:pictures|openapi|schema)|examples)(?:\/|$)|^LICENSE$/;

for (const { path, prose } of shippedDocuments)
  test(`the links of ${path} lead to files of the package`, () => {
    const shippedPaths = new Set(shippedDocuments.map((document) => document.path));
    const targets = linksOf(prose)
      .filter((link) => !/^(?:https?|mailto|#)/.test(link))
      .map((link) => posix.join(posix.dirname(path), link.replace(/#.*/, '')));
    assert.deepEqual(
      targets.filter((target) => !shippedPaths.has(target) && !shippedFolders.test(target)),
      [],
    );
  });

test('every document can be reached by links from the README or the contributors’ guide', () => {
  const reachedPaths = new Set(['README.md', 'CONTRIBUTING.md']);
  for (const path of reachedPaths)
    for (const link of linksOf(documents.find((one) => one.path === path)?.prose ?? ''))
      if (/\.(?:md|txt)(?:#|$)/.test(link) && !link.includes(':'))
        reachedPaths.add(posix.join(posix.dirname(path), link.replace(/#.*/, '')));
  for (const { path } of documents) assert.ok(reachedPaths.has(path), path);
});

test('every picture is shown by a document, and is smaller than 150 kB', () => {
  const linkedPaths = new Set(
    documents.flatMap(({ path, prose }) => linksOf(prose).map((link) => posix.join(posix.dirname(path), link))),
  );
  const pictures = readdirSync('docs/pictures').map((name) => `docs/pictures/${name}`);
  assert.notEqual(pictures.length, 0);
  for (const picture of pictures) {
    assert.ok(linkedPaths.has(picture), picture);
    const { size } = statSync(picture);
    assert.ok(size < 150_000, `${picture}: ${size} bytes`);
  }
});
