import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { backendCodeOf, backendFiles, type BackendFile } from '../../demo/playground-code.ts';
import { documentOf } from '../docs/documents.ts';

const codeOf = (name: BackendFile, settings: Readonly<Record<string, string>> = {}): string =>
  backendCodeOf(readFileSync(backendFiles[name], 'utf8'), new Map(Object.entries(settings)));

describe("the playground's code for the backend", () => {
  it('equals the files of the PHP, Python and curl examples when no setting differs from its default', () => {
    for (const name of [
      'PHP: shop.php',
      'PHP: outcomes.php',
      'Python: shop.py',
      'Python: outcomes.py',
      'curl',
    ] as const)
      assert.equal(codeOf(name), readFileSync(backendFiles[name], 'utf8'));
  });

  it('equals, for Node.js, the server of the guide, which test/docs/documented-code.test.ts compiles', () => {
    const blocks = documentOf('docs/integrating.md').blocks.filter(({ language }) => language === 'ts');
    const code = codeOf('Node.js');
    assert.ok(blocks.some((block) => block.code === code));
    assert.match(code, /createCheckoutServer\([^]*\.create\(/);
  });

  for (const name of ['Node.js', 'PHP: shop.php', 'Python: shop.py', 'curl'] as const)
    it(`contains the amount and the currency of the settings: ${name}`, () => {
      const code = codeOf(name, { amount: '990.50', currency: 'USD' });
      assert.match(code, /990\.50/);
      assert.match(code, /\bUSD\b/);
      assert.doesNotMatch(code, /1500\.00|\bRUB\b/);
    });
});
