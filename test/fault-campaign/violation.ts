/** The rules that hold in every run, whatever faults it has. */
export const invariants = {
  I1: 'two invoices that may still be paid are never offered without replace',
  I2: 'no invoice is lost: the shop knows each invoice, and watches it to its end',
  I3: 'a payment is never invented',
  I4: 'every payment is delivered, and credited once',
  I5: 'a paid order stays paid',
  I6: 'no response is an error of the program, and no response shows another amount',
  I7: 'every order ends with an invoice or with the result "not known"; no work stays unfinished',
} as const;
export type Invariant = keyof typeof invariants;

/** An invariant that did not hold, and a text that describes where. */
export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
}
