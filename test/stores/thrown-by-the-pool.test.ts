import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresStore } from '../../src/postgres.ts';
import { thrownValues } from '../support/thrown-values.ts';

for (const { title, make } of thrownValues)
  test(`a pool of the application that throws ${title} is a database that cannot be opened`, async () => {
    const pool = {
      connect: () => {
        throw make();
      },
    };
    await assert.rejects(createPostgresStore({ pool }), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /^the database of the pool cannot be opened: ./);
      return true;
    });
  });
