import { z } from 'zod';
import { normalOrigin } from '../../base/addresses.ts';
import type { Clock } from '../../base/clock.ts';
import { CheckoutOptionsError, maxLines, mustBeObject, unknownMemberText } from '../../base/options-error.ts';
import type { Random } from '../../base/random.ts';
import { issueText } from '../../base/zod-issue-text.ts';

/** The schema of an object with these members and no others. The error for an unknown member has its name. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownMemberText(issue.keys[0] ?? '', names) : mustBeObject,
  });
}

/** Returns a function that checks whether a value is an object with all of these methods. */
export function methodsCheck(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function');
}

const originRule = 'must be an origin such as "https://shop.example"';
const origin = z
  .string(originRule)
  .refine((text) => normalOrigin(text) !== undefined, originRule)
  .transform((text) => normalOrigin(text) ?? text);

/** Origins, as browsers write them. */
export const originList = z.array(origin, 'must be a list of origins').default([]);

export const clockSchema = z.custom<Clock>(methodsCheck('now', 'schedule'), 'must have now and schedule');
export const randomSchema = z.custom<Random>(methodsCheck('number', 'bytes'), 'must have number and bytes');

/** All that is wrong with a value. */
export interface Problems {
  /** The path of the first wrong member. */
  readonly path: string;
  /** A line for each wrong member, such as `orderID: is unknown: did you mean orderId?`, separated by `; `. */
  readonly message: string;
}

/**
 * Describes all issues of a value at once. Unknown members come first, because each may be a missing member under a wrong name.
 */
export function describeProblems({ issues }: z.core.$ZodError, root: string): Problems {
  const isUnknown = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys =>
    issue.code === 'unrecognized_keys';
  const sorted = [
    ...issues.filter(isUnknown).map(({ path, keys, message }) => ({ path: [...path, keys[0] ?? ''], message })),
    ...issues.filter((issue) => !isUnknown(issue)),
  ];
  // The first rule that a member breaks is told: the others may follow from it.
  const firsts = new Map<string, (typeof sorted)[number]>();
  for (const issue of sorted) {
    const path = issue.path.join('.');
    if (!firsts.has(path)) firsts.set(path, issue);
  }
  const lines = [...firsts.values()].map((issue) => issueText(issue, root));
  const more = lines.length > maxLines ? [`${lines.length - maxLines} more`] : [];
  return {
    path: (sorted[0]?.path ?? []).map(String).join('.') || root,
    message: [...lines.slice(0, maxLines), ...more].join('; '),
  };
}

/** The options that a schema makes of a value. @throws CheckoutOptionsError with all that is wrong */
export function checkOptions<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new CheckoutOptionsError(describeProblems(error, 'options'));
}

/** A whole number from `least`, and to `most` where there is one, of a unit such as `' of milliseconds'`. */
export function wholeNumber(unit: string, least: number, most?: number) {
  const isValid = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= (most ?? Infinity);
  const end = most === undefined ? '' : ` to ${most}`;
  return z.custom<number>(isValid, `must be a whole number${unit} from ${least}${end}`);
}
