// A process that stores 20 checkouts, loses the log of its database to another process, tries to write, and ends in order. It
// prints the reason for which the write was refused.
import { createSqliteStore } from '../../src/sqlite.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { runInOtherProcess } from '../support/other-process.ts';

const [, , file = ''] = process.argv;
const store = await createSqliteStore({ file });
for (let count = 0; count < 20; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
runInOtherProcess(`fs.rmSync(file + '-wal')`, file);
try {
  await store.insert(makeCheckoutRecord('refused'));
} catch (error) {
  process.stdout.write(error instanceof StoreUnavailableError ? error.reason : String(error));
}
await store.close();
