import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { strictObject } from '../../server/domain/strict-object.ts';
import type { CheckResult } from './report.ts';

/** The kind of an order: one with a price, or one whose amount the payer types. */
export type OrderKind = 'priced' | 'typed';

/** The backend to test, and what the checks may use. */
export interface ConformanceOptions {
  /** Where the checkout API is mounted, such as `http://localhost:8080/checkout`. */
  readonly endpoint: string;
  /** Fresh checkouts with a price, as capabilities. */
  readonly checkouts?: readonly string[];
  /** Fresh checkouts whose amount the payer types. */
  readonly typedCheckouts?: readonly string[];
  /** Opens one more fresh checkout. Resolves with its capability, or undefined when it cannot open orders of this kind. */
  readonly open?: (orderKind: OrderKind) => Promise<string | undefined>;
  /** Closes a checkout as the merchant does, so that no new invoice can be created. */
  readonly close?: ((capability: string) => Promise<void>) | undefined;
  /** An origin that the backend allows, such as `https://shop.example`. */
  readonly allowedOrigin?: string | undefined;
  /** The address of the sandbox that the backend uses as its invoice service. */
  readonly sandbox?: string | undefined;
  /** The backend's access token: no response may contain it. It is sent nowhere. */
  readonly token?: string | undefined;
  /** Ids of the checks to run, or the parts of ids before the dot; all checks when undefined. */
  readonly only?: readonly string[] | undefined;
  /** Whether to also run the checks that take half a minute or longer. */
  readonly slow?: boolean;
  /** Aborts the run, which then rejects with `CannotRun` and removes its faults from the sandbox. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each result. */
  readonly onResult?: (result: CheckResult) => void;
  /** How long a change may take from the service to the payer, in milliseconds; 30 s when undefined. */
  readonly patienceMs?: number;
  readonly ports?: Partial<Ports>;
}

const anything = z.unknown().optional();
/** Under a wrong name a checkout would be missing, and its checks would not run. */
export const optionNames = strictObject({
  endpoint: anything,
  checkouts: anything,
  typedCheckouts: anything,
  open: anything,
  close: anything,
  allowedOrigin: anything,
  sandbox: anything,
  token: anything,
  only: anything,
  slow: anything,
  signal: anything,
  onResult: anything,
  patienceMs: anything,
  ports: anything,
} satisfies Record<keyof ConformanceOptions, z.ZodType>);

/** The effects of the run. */
export interface Ports {
  fetch(request: Request): Promise<Response>;
  /** Milliseconds on a monotonic clock. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realPorts: Ports = {
  fetch: (request) => fetch(request),
  now: () => performance.now(),
  async sleep(ms) {
    await setTimeout(ms);
  },
};
