import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { startServer, type RunningServer } from '../../src/standalone/start-server.ts';
import { adminToken } from './buyer.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts the standalone server as a trial in this process, with the built files, on free ports; `variables` are of its environment. */
export function startStandalone(variables: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const environment = readServerEnvironment({
    PORT: '0',
    SANDBOX_PORT: '0',
    DATA_DIR: temporaryFolder(),
    ADMIN_TOKEN: adminToken,
    LOG_LEVEL: 'error',
    ...variables,
  });
  return startServer(environment, 'dist/cdn');
}
