type Requisites = Readonly<Partial<Record<'phone' | 'card_number' | 'account', string | undefined>>> | undefined;

/** Whether an invoice has requisites that a payer can transfer to. */
export const hasRequisites = ({
  sbp,
  card,
  bank_transfer,
}: {
  readonly sbp?: Requisites;
  readonly card?: Requisites;
  readonly bank_transfer?: Requisites;
}): boolean =>
  [sbp, card, bank_transfer].some((to) => [to?.phone, to?.card_number, to?.account].some((text) => text?.trim()));
