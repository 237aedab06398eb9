import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

export const rulesFile = 'examples/prometheus/pay-invoice.rules.yml';

const { groups } = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^PayInvoice[A-Z]\w+$/),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
            annotations: z.strictObject({ summary: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync(rulesFile, 'utf8')));

/** The alerts that the package documents. */
export const rules = groups.flatMap((group) => group.rules);

/** Parses the metrics of an expression, each with its matchers such as `event="clock_jumped"`. */
export function parseSelectors(
  expr: string,
): readonly { readonly metric: string; readonly matchers: Map<string, string> }[] {
  return [...expr.matchAll(/\b((?:pay_invoice|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', text = '']) => ({
      metric,
      matchers: new Map(
        [...text.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      ),
    }),
  );
}
