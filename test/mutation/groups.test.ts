import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { groups } from './groups.ts';

for (const { name, modules, tests } of groups)
  test(`the modules and tests of the mutation group ${name} exist`, () => {
    assert.deepEqual(
      [...modules, ...tests].filter((path) => !existsSync(path)),
      [],
    );
  });
