import { maxIdentifierLength, maxLinkLength, maxNameLength, maxTimestampLength } from '../../src/base/text-limits.ts';
import type { Fault } from '../../src/tools/sandbox/create-sandbox.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

// Faults of the service and of the gateway before it. A plan has some of them; each happens for some minutes, again and again.

const create = { operation: 'CreateInvoice' } as const;
const fetchInvoices = { operation: 'FetchInvoices' } as const;

/** The sandbox's faults by the names that plans use. */
const sandboxFaults = {
  'creates stay in doubt': (random) => [{ kind: 'status', ...create, status: 504, after_work: random.chance(0.5) }],
  'creates lose their response': () => [{ kind: 'lost', ...create, probability: 0.7 }],
  'creates stall': () => [{ kind: 'stall', ...create, ms: 20_000, probability: 0.7 }],
  'creates happen later': () => [{ kind: 'late_create', ...create, ms: 45_000 }],
  'creates are slow': (random) => [{ kind: 'latency', ...create, ms: random.int(3000, 7000) }],
  'creates are slow and refused': (random) => [
    { kind: 'latency', ...create, ms: random.int(3000, 7500) },
    { kind: 'status', ...create, status: 400, body: { code: 'failed_precondition', message: 'method' } },
  ],
  'creates change the amount': () => [{ kind: 'wrong_amount', ...create }],
  'creates have nothing to pay by': () => [
    { kind: 'missing_fields', ...create, fields: ['sbp', 'card', 'bank_transfer', 'nspk_url', 'payment_url'] },
  ],
  'creates happen twice': () => [{ kind: 'duplicate_create', ...create }],
  'creates have no readable deadline': () => [
    { kind: 'time_format', ...create, format: 'no_zone' },
    { kind: 'time_format', ...fetchInvoices, format: 'no_zone' },
  ],
  'QR codes are refused': (random) => [
    { kind: 'qr_refused', ...create, status: random.pick([400, 500, 503]), shape: 'flat' },
  ],
  'fetches fail': (random) => [
    { kind: 'status', ...fetchInvoices, status: random.pick([500, 502, 503, 504]), probability: 0.8 },
  ],
  'fetches are limited': () => [
    { kind: 'status', ...fetchInvoices, status: 429, headers: { 'retry-after': '7' }, probability: 0.5 },
  ],
  'fetches stall': () => [{ kind: 'stall', ...fetchInvoices, ms: 5000, probability: 0.6 }],
  'fetches are cut': () => [{ kind: 'truncate', ...fetchInvoices, probability: 0.6 }],
  'fetches lose a member': () => [{ kind: 'missing_fields', ...fetchInvoices, fields: ['status'], probability: 0.5 }],
  'batches are refused': () => [{ kind: 'batch_refused', ...fetchInvoices, max_ids: 1, status: 400 }],
  'texts are long': (random) => {
    const longest = random.pick([maxTimestampLength, maxIdentifierLength, maxNameLength, maxLinkLength, 999_999]);
    const texts = ['holder_name', 'name', 'code', 'payment_url', 'created_at', 'user_id', 'bik'] as const;
    return [{ kind: 'long_values', operation: '*', length: longest + random.int(0, 1), fields: [random.pick(texts)] }];
  },
  'options fail': () => [{ kind: 'status', operation: 'FetchPaymentOptions', status: 500, probability: 0.8 }],
  'service is down': () => [{ kind: 'status', operation: '*', status: 503, body: 'down' }],
  'service resets connections': () => [{ kind: 'reset', operation: '*', probability: 0.6 }],
} as const satisfies Readonly<Record<string, (random: SeededRandom) => readonly Fault[]>>;

/** The faults of the gateway (service.ts). */
const gatewayFaultNames = ['gateway refuses fetches', 'service gives two orders one invoice'] as const;
export type GatewayFaultName = (typeof gatewayFaultNames)[number];

type SandboxFaultName = keyof typeof sandboxFaults;
export type ServiceFaultName = SandboxFaultName | GatewayFaultName;

const isSandboxFault = (name: string): name is SandboxFaultName => Object.hasOwn(sandboxFaults, name);

export const serviceFaultNames: readonly ServiceFaultName[] = [
  ...Object.keys(sandboxFaults).filter(isSandboxFault),
  ...gatewayFaultNames,
];

/** What the sandbox's control API takes for a fault; nothing for a fault of the gateway. */
export function sandboxFaultsOf(name: ServiceFaultName, random: SeededRandom): readonly Fault[] {
  return isSandboxFault(name) ? sandboxFaults[name](random) : [];
}
