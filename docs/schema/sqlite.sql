begin;
create table pay_invoice_migrations (
  name text primary key,
  run_at bigint not null,
  checked_at bigint
);

create table pay_invoice_checkouts (
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
  constraint pay_invoice_checkouts_of_order unique (order_id),
  constraint pay_invoice_checkouts_status check (status in ('open', 'pending', 'paid', 'failed', 'expired')),
  constraint pay_invoice_checkouts_version check (version > 0),
  constraint pay_invoice_checkouts_paid check ((paid_external_id is null) = (paid_at is null))
);

create table pay_invoice_attempts (
  external_id text primary key,
  checkout_id text not null references pay_invoice_checkouts (id),
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
  constraint pay_invoice_attempts_state check (state in ('creating', 'in_doubt', 'unresolved', 'rejected', 'hidden', 'live')),
  constraint pay_invoice_attempts_reason check (case state
    when 'rejected' then reason is not null and reason in ('method_unavailable', 'amount_out_of_limits', 'try_again')
    when 'hidden' then reason is not null
      and reason in ('mismatch', 'not_payable', 'second_invoice', 'foreign_invoice')
    else reason is null end),
  constraint pay_invoice_attempts_outcome check (outcome in
    ('pending', 'unresolved', 'paid', 'amount_mismatch', 'test_payment', 'failed', 'expired')),
  constraint pay_invoice_attempts_known check ((state in ('live', 'hidden')) = (invoice is not null)),
  constraint pay_invoice_attempts_ended check ((invoice is null) = (outcome is null)),
  constraint pay_invoice_attempts_paid
    check ((paid_amount is not null) = (coalesce(outcome, '') in ('paid', 'amount_mismatch', 'test_payment'))),
  constraint pay_invoice_attempts_history check ((invoice is null) = (status_history is null)),
  constraint pay_invoice_attempts_invoice check ((invoice is null) = (invoice_id is null)),
  constraint pay_invoice_attempts_amount check (attempt_amount glob '*[0-9]' and attempt_amount not glob '*[^-0-9.]*'),
  constraint pay_invoice_attempts_paid_amount check (paid_amount glob '*[0-9]' and paid_amount not glob '*[^-0-9.]*')
);

create table pay_invoice_schedules (
  attempt_id text primary key references pay_invoice_attempts (external_id),
  call_count integer not null,
  lease_until bigint not null,
  run_at bigint,
  claimable_at bigint,
  answered_at bigint,
  checked_at bigint,
  viewed_until bigint
);

create table pay_invoice_outcomes (
  id text primary key,
  kind text not null,
  order_id text not null,
  checkout_id text not null references pay_invoice_checkouts (id),
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
  constraint pay_invoice_outcomes_position unique (position),
  constraint pay_invoice_outcomes_of_checkout unique (checkout_id, sequence),
  constraint pay_invoice_outcomes_kind check (kind in ('paid', 'duplicate_payment', 'amount_mismatch', 'test_payment', 'failed',
    'expired', 'create_unresolved', 'invoice_unresolved', 'resolved')),
  constraint pay_invoice_outcomes_decision check (case kind
    when 'resolved' then decision is not null and decision in ('paid', 'void') and note is not null
    else decision is null and note is null end),
  constraint pay_invoice_outcomes_decided_by
    check (decided_by is null or (decided_by = 'person' and kind in ('paid', 'duplicate_payment'))),
  constraint pay_invoice_outcomes_mode check (mode in ('TEST', 'LIVE')),
  constraint pay_invoice_outcomes_sequence check (sequence > 0),
  constraint pay_invoice_outcomes_amount check (amount glob '*[0-9]' and amount not glob '*[^-0-9.]*'),
  constraint pay_invoice_outcomes_expected_amount check (expected_amount glob '*[0-9]' and expected_amount not glob '*[^-0-9.]*')
);

create table pay_invoice_deliveries (
  outcome_id text not null references pay_invoice_outcomes (id),
  number integer not null,
  at bigint not null,
  status integer,
  error text,
  constraint pay_invoice_deliveries_of_outcome primary key (outcome_id, number)
);

create table pay_invoice_store (
  id text not null,
  last_position bigint not null,
  seen_at bigint
);

insert into pay_invoice_store (id, last_position) values (lower(hex(randomblob(16))), 0);

create index pay_invoice_checkouts_by_age on pay_invoice_checkouts (created_at, id);

create index pay_invoice_checkouts_by_reference on pay_invoice_checkouts (reference) where reference is not null;

create index pay_invoice_attempts_of on pay_invoice_attempts (checkout_id, position);

create unique index pay_invoice_attempts_invoice_claimed on pay_invoice_attempts (claimed_invoice_id) where claimed_invoice_id is not null;

create index pay_invoice_schedules_due on pay_invoice_schedules (claimable_at) where claimable_at is not null;

create index pay_invoice_outcomes_to_deliver on pay_invoice_outcomes (claimable_at) where delivered_at is null and abandoned_at is null;

create index pay_invoice_outcomes_abandoned on pay_invoice_outcomes (abandoned_at) where abandoned_at is not null;

create index pay_invoice_outcomes_of_rare_kinds on pay_invoice_outcomes (kind) where kind not in ('paid', 'failed', 'expired');

create index pay_invoice_attempts_undecided on pay_invoice_attempts (checkout_id)
  where resolution is null and (state = 'unresolved' or outcome in ('unresolved', 'amount_mismatch'));

create index pay_invoice_attempts_unresolved on pay_invoice_attempts (external_id) where outcome = 'unresolved';

create view pay_invoice_checkouts_view as
select checkout.order_id, checkout.id as checkout_id, checkout.reference,
  case when closes_at <= strftime('%s', 'now') * 1000 then 'closed' else status end as status,
  coalesce(json_extract(params, '$.amount'), attempt_amount) as amount,
  json_extract(params, '$.currency') as currency,
  json_extract(method, '$.type') as method,
  json_extract(request, '$.mode') as mode,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', paid_at / 1000.0, 'unixepoch') as paid_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', closed_at / 1000.0, 'unixepoch') as closed_at
from pay_invoice_checkouts as checkout
left join pay_invoice_attempts as attempt on attempt.external_id = coalesce(paid_external_id, (
  select latest.external_id from pay_invoice_attempts as latest where latest.checkout_id = checkout.id
  order by latest.position desc limit 1
));

create view pay_invoice_outcomes_view as
select outcome.order_id, outcome.checkout_id, outcome.id as outcome_id, outcome.kind, outcome.decision,
  outcome.decided_by,
  outcome.amount as amount,
  outcome.expected_amount as expected_amount,
  json_extract(method, '$.type') as method,
  outcome.mode,
  strftime('%Y-%m-%dT%H:%M:%fZ', occurred_at / 1000.0, 'unixepoch') as occurred_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', delivered_at / 1000.0, 'unixepoch') as delivered_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', abandoned_at / 1000.0, 'unixepoch') as abandoned_at
from pay_invoice_outcomes as outcome
left join pay_invoice_attempts as attempt on attempt.external_id = outcome.external_id;

create index pay_invoice_checkouts_saved on pay_invoice_checkouts (saved_at);

insert into pay_invoice_migrations (name, run_at) values ('pay-invoice-1', 0);
commit;
