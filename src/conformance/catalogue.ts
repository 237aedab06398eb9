import { answers } from './checks/answers.ts';
import { capability } from './checks/capability.ts';
import { conditional } from './checks/conditional.ts';
import { amounts, away, lostAnswer } from './checks/faults.ts';
import { hook } from './checks/hook.ts';
import { invoice } from './checks/invoice.ts';
import { order, otherKeysAtOnce, sameKeyAtOnce, twoOrders } from './checks/orders.ts';
import { expiring, failing, paying, replacing, unknownStatus } from './checks/outcomes.ts';
import { reading } from './checks/reading.ts';
import { refusals } from './checks/refusals.ts';
import { typed } from './checks/typed.ts';
import type { Group } from './check.ts';

/** All checks in the order in which they run: those that leave the first checkout open come first. */
export const catalogue: readonly Group[] = [
  reading,
  conditional,
  capability,
  refusals,
  invoice,
  order,
  sameKeyAtOnce,
  otherKeysAtOnce,
  twoOrders,
  typed,
  hook,
  paying,
  failing,
  expiring,
  replacing,
  unknownStatus,
  away,
  lostAnswer,
  amounts,
  answers,
];
