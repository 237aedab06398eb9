import { z } from 'zod';
import { readOperatorEnvironment } from './environment/server-environment.ts';
import type { Variables } from '../base/given-variables.ts';

export const operatorUsage = `  find TEXT          checkouts by an order, a reference, or any id of the log
  find --undelivered checkouts with an outcome that the shop does not have
  show CHECKOUT      a checkout with its history
  check CHECKOUT     fetches its invoices at the service now
  close CHECKOUT     no new invoice is created for it
  reopen CHECKOUT    opens what was closed
  resolve CHECKOUT paid|void NOTE [INVOICE]
                     decides about a payment that the server cannot judge
  redeliver OUTCOME  delivers an outcome once more`;

/** A request of the admin API. */
interface AdminRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/admin`. */
  readonly path: string;
  readonly body?: object;
}

/** A dot segment would make another path, in any spelling. */
const isSegment = (id: string): boolean => !/^\.{0,2}$/.test(id);

/** The request of each command; undefined when the arguments are wrong. */
const commands: Readonly<Record<string, (args: readonly string[]) => AdminRequest | undefined>> = {
  find: ([text, ...others]) => {
    const isUndelivered = text === '--undelivered';
    // A misspelt flag would be searched for, and nothing would be found.
    if (text === undefined || (text.startsWith('-') && !isUndelivered) || others.length > 0) return undefined;
    const query = new URLSearchParams(isUndelivered ? { undelivered: '1' } : { search: text });
    return { method: 'GET', path: `/checkouts?${query.toString()}` };
  },
  show: (args) => actionOf('GET', '/checkouts', args, ''),
  check: (args) => actionOf('POST', '/checkouts', args, '/check'),
  close: (args) => actionOf('POST', '/checkouts', args, '/close'),
  reopen: (args) => actionOf('POST', '/checkouts', args, '/reopen'),
  redeliver: (args) => actionOf('POST', '/outcomes', args, '/redeliver'),
  resolve: ([id = '', as, note, invoice_id, ...others]) =>
    !isSegment(id) || note === undefined || others.length > 0
      ? undefined
      : { method: 'POST', path: `/checkouts/${encodeURIComponent(id)}/resolve`, body: { as, note, invoice_id } },
};

function actionOf(
  method: AdminRequest['method'],
  folder: string,
  [id = '', ...others]: readonly string[],
  action: string,
): AdminRequest | undefined {
  if (!isSegment(id) || others.length > 0) return undefined;
  return { method, path: `${folder}/${encodeURIComponent(id)}${action}` };
}

export const isOperatorCommand = (command = ''): boolean => Object.hasOwn(commands, command);

/** The request of an operator's command; undefined for another command, or wrong arguments. */
export function toAdminRequest(command = '', args: readonly string[] = []): AdminRequest | undefined {
  return isOperatorCommand(command) ? commands[command]?.(args) : undefined;
}

const problemSchema = z.object({ title: z.string(), code: z.string(), detail: z.string().optional() });

/** The running server cannot be reached, or refuses the request. The message says why, in one line. */
class AdminRequestError extends Error {
  override readonly name = 'AdminRequestError';
}

/**
 * Sends a request to the admin API of the running server. Resolves with the answer.
 * @throws AdminRequestError
 * @throws EnvironmentError
 */
export async function sendAdminRequest({ method, path, body }: AdminRequest, variables: Variables): Promise<unknown> {
  const { adminUrl, token } = readOperatorEnvironment(variables);
  const response = await fetch(`${adminUrl}/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    const advice = 'set HOST, PORT and ADMIN_PORT as for the server';
    throw new AdminRequestError(`No server answers at ${adminUrl}: ${advice}`, { cause });
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const { title, code, detail } = problemSchema.parse(answer);
  throw new AdminRequestError(`${title} (${code})${detail === undefined ? '' : `: ${detail}`}`);
}
