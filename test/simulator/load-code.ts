import { httpTransport } from '../../src/client/http-transport.ts';
import { createSession } from '../../src/core.ts';
import { createCheckoutServer, createMemoryStore, StoreUnavailableError } from '../../src/server.ts';
import { backlog } from '../../src/standalone/http-server.ts';
import { createAdmission } from '../../src/stores/admission.ts';

/** The code that a run of the load uses: the payers' and the server's, which listens by one socket, as it does where not Linux runs. */
export const presentCode = {
  httpTransport,
  createSession,
  createCheckoutServer,
  createMemoryStore,
  StoreUnavailableError,
  createAdmission,
  backlog,
};
export type LoadCode = typeof presentCode;
