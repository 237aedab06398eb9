begin;
create schema if not exists "pay_invoice";

create table "pay_invoice".migrations (
  name text primary key,
  run_at bigint not null,
  checked_at bigint
);

create table "pay_invoice".checkouts (
  id text primary key,
  capability text not null,
  capability_at bigint not null,
  hook_secret text not null,
  params text not null,
  created_at bigint not null,
  version integer not null,
  paid_external_id text,
  paid_at bigint,
  closed_at bigint,
  actions text not null,
  status text not null,
  closes_at bigint,
  order_id text not null,
  reference text,
  saved_at bigint not null,
  constraint checkouts_of_order unique (order_id),
  constraint checkouts_status check (status in ('open', 'pending', 'paid', 'failed', 'expired')),
  constraint checkouts_version check (version > 0),
  constraint checkouts_paid check ((paid_external_id is null) = (paid_at is null))
);

create table "pay_invoice".attempts (
  external_id text primary key,
  checkout_id text not null references "pay_invoice".checkouts (id),
  position integer not null,
  keys text not null,
  payment_method_id text not null,
  method text,
  attempt_amount text not null,
  request text not null,
  state text not null,
  reason text,
  resolution text,
  attempt_created_at bigint not null,
  invoice text,
  invoice_id text,
  expires_at bigint,
  service_status text,
  status_history text,
  outcome text,
  paid_amount text,
  claimed_invoice_id text,
  constraint attempts_state check (state in ('creating', 'in_doubt', 'unresolved', 'rejected', 'hidden', 'live')),
  constraint attempts_reason check (case state
    when 'rejected' then reason is not null and reason in ('method_unavailable', 'amount_out_of_limits', 'try_again')
    when 'hidden' then reason is not null
      and reason in ('mismatch', 'not_payable', 'second_invoice', 'foreign_invoice')
    else reason is null end),
  constraint attempts_outcome check (outcome in
    ('pending', 'unresolved', 'paid', 'amount_mismatch', 'test_payment', 'failed', 'expired')),
  constraint attempts_known check ((state in ('live', 'hidden')) = (invoice is not null)),
  constraint attempts_ended check ((invoice is null) = (outcome is null)),
  constraint attempts_paid
    check ((paid_amount is not null) = (coalesce(outcome, '') in ('paid', 'amount_mismatch', 'test_payment'))),
  constraint attempts_history check ((invoice is null) = (status_history is null)),
  constraint attempts_invoice check ((invoice is null) = (invoice_id is null)),
  constraint attempts_amount check (attempt_amount ~ '^-?[0-9]+(\.[0-9]+)?$'),
  constraint attempts_paid_amount check (paid_amount ~ '^-?[0-9]+(\.[0-9]+)?$')
);

create table "pay_invoice".schedules (
  attempt_id text primary key references "pay_invoice".attempts (external_id),
  call_count integer not null,
  lease_until bigint not null,
  run_at bigint,
  claimable_at bigint,
  answered_at bigint,
  checked_at bigint,
  viewed_until bigint
);

create table "pay_invoice".outcomes (
  id text primary key,
  kind text not null,
  order_id text not null,
  checkout_id text not null references "pay_invoice".checkouts (id),
  external_id text not null,
  invoice_id text,
  amount text not null,
  expected_amount text not null,
  mode text not null,
  occurred_at bigint not null,
  decision text,
  note text,
  decided_by text,
  sequence integer not null,
  claimable_at bigint not null,
  delivered_at bigint,
  abandoned_at bigint,
  position bigint,
  added bigserial not null,
  constraint outcomes_position unique (position),
  constraint outcomes_of_checkout unique (checkout_id, sequence),
  constraint outcomes_kind check (kind in ('paid', 'duplicate_payment', 'amount_mismatch', 'test_payment', 'failed',
    'expired', 'create_unresolved', 'invoice_unresolved', 'resolved')),
  constraint outcomes_decision check (case kind
    when 'resolved' then decision is not null and decision in ('paid', 'void') and note is not null
    else decision is null and note is null end),
  constraint outcomes_decided_by
    check (decided_by is null or (decided_by = 'person' and kind in ('paid', 'duplicate_payment'))),
  constraint outcomes_mode check (mode in ('TEST', 'LIVE')),
  constraint outcomes_sequence check (sequence > 0),
  constraint outcomes_amount check (amount ~ '^-?[0-9]+(\.[0-9]+)?$'),
  constraint outcomes_expected_amount check (expected_amount ~ '^-?[0-9]+(\.[0-9]+)?$')
);

create table "pay_invoice".deliveries (
  outcome_id text not null references "pay_invoice".outcomes (id),
  number integer not null,
  at bigint not null,
  status integer,
  error text,
  constraint deliveries_of_outcome primary key (outcome_id, number)
);

create table "pay_invoice".store (
  id text not null,
  last_position bigint not null,
  seen_at bigint
);

insert into "pay_invoice".store (id, last_position) values (replace(gen_random_uuid()::text, '-', ''), 0);

create index checkouts_by_age on "pay_invoice".checkouts (created_at, id);

create index checkouts_by_reference on "pay_invoice".checkouts (reference) where reference is not null;

create index attempts_of on "pay_invoice".attempts (checkout_id, position);

create unique index attempts_invoice_claimed on "pay_invoice".attempts (claimed_invoice_id) where claimed_invoice_id is not null;

create index schedules_due on "pay_invoice".schedules (claimable_at) where claimable_at is not null;

create index outcomes_to_deliver on "pay_invoice".outcomes (claimable_at) where delivered_at is null and abandoned_at is null;

create index outcomes_abandoned on "pay_invoice".outcomes (abandoned_at) where abandoned_at is not null;

create index outcomes_of_rare_kinds on "pay_invoice".outcomes (kind) where kind not in ('paid', 'failed', 'expired');

create index attempts_undecided on "pay_invoice".attempts (checkout_id)
  where resolution is null and (state = 'unresolved' or outcome in ('unresolved', 'amount_mismatch'));

create index attempts_unresolved on "pay_invoice".attempts (external_id) where outcome = 'unresolved';

create view "pay_invoice".checkouts_view as
select checkout.order_id, checkout.id as checkout_id, checkout.reference,
  case when closes_at <= extract(epoch from now()) * 1000 then 'closed' else status end as status,
  (coalesce(params::json ->> 'amount', attempt_amount))::numeric as amount,
  params::json ->> 'currency' as currency,
  method::json ->> 'type' as method,
  request::json ->> 'mode' as mode,
  to_timestamp(created_at / 1000.0) as created_at,
  to_timestamp(paid_at / 1000.0) as paid_at,
  to_timestamp(closed_at / 1000.0) as closed_at
from "pay_invoice".checkouts as checkout
left join "pay_invoice".attempts as attempt on attempt.external_id = coalesce(paid_external_id, (
  select latest.external_id from "pay_invoice".attempts as latest where latest.checkout_id = checkout.id
  order by latest.position desc limit 1
));

create view "pay_invoice".outcomes_view as
select outcome.order_id, outcome.checkout_id, outcome.id as outcome_id, outcome.kind, outcome.decision,
  outcome.decided_by,
  (outcome.amount)::numeric as amount,
  (outcome.expected_amount)::numeric as expected_amount,
  method::json ->> 'type' as method,
  outcome.mode,
  to_timestamp(occurred_at / 1000.0) as occurred_at,
  to_timestamp(delivered_at / 1000.0) as delivered_at,
  to_timestamp(abandoned_at / 1000.0) as abandoned_at
from "pay_invoice".outcomes as outcome
left join "pay_invoice".attempts as attempt on attempt.external_id = outcome.external_id;

alter table "pay_invoice".checkouts set (fillfactor = 85);

alter table "pay_invoice".attempts set (fillfactor = 85);

alter table "pay_invoice".schedules set (fillfactor = 70);

alter table "pay_invoice".outcomes set (fillfactor = 85);

insert into "pay_invoice".migrations (name, run_at) values ('pay-invoice-1', 0);
commit;
