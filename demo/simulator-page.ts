// The simulator of the whole system (test/simulator) in a page. Seed, hours, loss and kills are in the URL's fragment; a run with the
// same settings has the same trace, in a terminal too.
import { forbidZodEval } from './in-page/forbid-zod-eval.ts';
import { readBodiesInMicrotasks } from './in-page/requests-as-in-node.ts';
import type { SimulationEvent } from '../test/simulator/history.ts';
import { planOf, type FaultName, type Plan } from '../test/simulator/plan.ts';
import type { Progress } from '../test/simulator/simulation.ts';
import { byId, create } from './dom-helpers.ts';
import { connectHeader } from './page-header.ts';
import { text, type Text } from './page-texts.ts';

/** The settings of an address without any: a seed whose plan has losses and kills. */
const defaults = { seed: '182', hours: '4' } as const;
const tiles = ['new', 'waiting', 'paid', 'told', 'ended', 'check'] as const;
type Tile = (typeof tiles)[number];
const tileTexts: Readonly<Record<Tile, Text>> = {
  new: 'tileNew',
  waiting: 'tileWaiting',
  paid: 'tilePaid',
  told: 'tileTold',
  ended: 'tileEnded',
  check: 'tileCheck',
};

/** Simulated minutes in a second, by the position of the slider. Without a value: as fast as the browser can. */
const speeds = [1, 2, 4, 8, 15, 30, 60, 120, 240, 480] as const;
/** The average number of a server's steps between two kills when the slider is at 1. */
const stepsAtOneKill = 1500;

// Browsers have no `setImmediate`. A message comes after all promises have settled, and does not wait for a timer.
const tasks: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => tasks.shift()?.();
Object.assign(globalThis, {
  setImmediate(task: () => void) {
    tasks.push(task);
    channel.port2.postMessage(undefined);
  },
});

function inputOf(id: string): HTMLInputElement {
  const input = byId(id);
  if (!(input instanceof HTMLInputElement)) throw new Error(`#${id} is no input`);
  return input;
}
const [seed, loss, kills, speed] = [inputOf('seed'), inputOf('loss'), inputOf('kills'), inputOf('speed')];

const lossFaults = ['payers lose messages', 'service loses messages'] as const satisfies readonly FaultName[];

/** The plan of the seed, changed by the sliders that the address has. */
function planOfAddress(): Plan {
  const settings = new URLSearchParams(location.hash.slice(1));
  const [seedText, hoursText] = [settings.get('seed') ?? defaults.seed, settings.get('hours') ?? defaults.hours];
  const plan: Plan = { ...planOf(Number(seedText), Number(hoursText)), store: 'memory' };
  const faults = new Set(plan.faults);
  const choose = (names: readonly FaultName[], isChosen: boolean): void => {
    for (const name of names)
      if (isChosen) faults.add(name);
      else faults.delete(name);
  };
  const [chosenLoss, chosenKills] = [settings.get('loss'), settings.get('kills')];
  if (chosenLoss !== null) choose(lossFaults, Number(chosenLoss) > 0);
  if (chosenKills !== null) choose(['servers are killed'], Number(chosenKills) > 0);
  return {
    ...plan,
    faults: [...faults],
    loss: chosenLoss === null ? plan.loss : Number(chosenLoss) / 100,
    stepsBetweenKills: Number(chosenKills) > 0 ? stepsAtOneKill / Number(chosenKills) : plan.stepsBetweenKills,
  };
}

function showSettings(plan: Plan): void {
  const isLossy = lossFaults.some((fault) => plan.faults.includes(fault));
  seed.value = `${plan.seed}`;
  loss.value = isLossy ? `${plan.loss * 100}` : '0';
  kills.value = plan.faults.includes('servers are killed') ? `${stepsAtOneKill / plan.stepsBetweenKills}` : '0';
  showSliders();
}

function showSliders(): void {
  byId('loss-shown').textContent = `${loss.value} %`;
  byId('kills-shown').textContent = kills.value;
  byId('speed-shown').textContent = speeds[Number(speed.value)]?.toString().concat(' min/s') ?? '∞';
}

/** What is known of the orders and payments after the events so far. */
class Overview {
  readonly orders = new Map<string, Tile>();
  readonly #orderOf = new Map<string, string>();
  readonly #paid = new Set<string>();
  /** The outcomes of each payment. */
  readonly #told = new Map<string, Set<string>>();
  #next = 0;

  read(events: readonly SimulationEvent[]): void {
    for (const event of events.slice(this.#next)) this.#add(event);
    this.#next = events.length;
  }

  get counts(): Readonly<Record<'payments' | 'told' | 'onTheWay' | 'doubled', number>> {
    const told = [...this.#paid].filter((id) => this.#told.has(id)).length;
    const doubled = [...this.#told.values()].filter(({ size }) => size > 1).length;
    return { payments: this.#paid.size, told, onTheWay: this.#paid.size - told, doubled };
  }

  #add(event: SimulationEvent): void {
    if (event.kind === 'order') this.orders.set(event.orderId, 'new');
    if (event.kind === 'invoice') {
      this.#orderOf.set(event.invoiceId, event.orderId);
      this.#set(event.orderId, 'waiting');
    }
    if (event.kind === 'bank' && event.status === 'PAID') {
      this.#paid.add(event.invoiceId);
      this.#set(this.#orderOf.get(event.invoiceId), 'paid');
    }
    if (event.kind !== 'outcome') return;
    const { kind, orderId, invoiceId, id } = event.outcome;
    if (kind === 'failed' || kind === 'expired') this.#set(orderId, 'ended');
    else if (kind !== 'paid' && kind !== 'duplicate_payment' && kind !== 'amount_mismatch') this.#set(orderId, 'check');
    else if (invoiceId !== null) {
      this.#told.set(invoiceId, (this.#told.get(invoiceId) ?? new Set()).add(id));
      this.#set(orderId, 'told');
    }
  }

  /** An order that was told as paid stays so. */
  #set(orderId: string | undefined, tile: Tile): void {
    if (orderId !== undefined && this.orders.get(orderId) !== 'told') this.orders.set(orderId, tile);
  }
}

function show(overview: Overview, { now, counts, servers }: Progress, lost: number): void {
  const { payments, told, onTheWay, doubled } = overview.counts;
  const minutes = Math.floor(now / 60_000);
  const values: readonly (readonly [Text, string | number])[] = [
    ['simulatedTime', `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`],
    ['payments', payments],
    ['told', told],
    ['onTheWay', onTheWay - lost],
    ['paymentsLost', lost],
    ['doubled', doubled],
    ['serverKills', counts.kills],
    ['messagesLost', counts.lost_messages],
  ];
  byId('counters').replaceChildren(
    ...values.map(([key, value]) =>
      create(
        'div',
        { className: (key === 'paymentsLost' || key === 'doubled') && value !== 0 ? 'bad' : '' },
        create('dt', {}, text(key)),
        create('dd', {}, `${value}`),
      ),
    ),
  );
  byId('servers').replaceChildren(
    ...servers.map((isRunning, index) =>
      create('span', { className: isRunning ? 'server' : 'server down' }, text('server', { number: `${index + 1}` })),
    ),
  );
  byId('orders').replaceChildren(
    ...[...overview.orders].map(([orderId, tile]) =>
      create('span', { className: `tile ${tile}`, title: `${orderId}: ${text(tileTexts[tile])}` }),
    ),
  );
}

let currentRun = 0;

async function run(): Promise<void> {
  const number = (currentRun += 1);
  const plan = planOfAddress();
  showSettings(plan);
  byId('verdict').textContent = '';
  byId('again').hidden = true;
  const overview = new Overview();
  let last: Progress = {
    now: 0,
    counts: { payments: 0, outcomes: 0, kills: 0, lost_messages: 0 },
    events: [],
    servers: [true, true],
  };
  show(overview, last, 0); // All has its place before the first event.
  let nextFrameAt = performance.now();
  const onMinute = async (progress: Progress): Promise<void> => {
    last = progress;
    overview.read(progress.events);
    const minutesPerSecond = speeds[Number(speed.value)];
    nextFrameAt = Math.max(nextFrameAt + 1000 / (minutesPerSecond ?? Infinity), performance.now() - 50);
    const waitMs = nextFrameAt - performance.now();
    if (waitMs > 8) {
      show(overview, progress, 0);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    } else if (minutesPerSecond === undefined && Math.floor(progress.now / 60_000) % 20 === 0) {
      show(overview, progress, 0);
      await new Promise(requestAnimationFrame);
    }
    if (progress.now >= plan.hours * 3_600_000) byId('verdict').textContent = text('simulatorQuiet');
    // A run that was replaced never goes on.
    if (number !== currentRun) await new Promise(() => undefined);
  };
  const { simulate } = await import('../test/simulator/simulation.ts');
  const { violations, trace } = await simulate(plan, { onMinute });
  if (number !== currentRun) return;
  overview.read(last.events);
  show(overview, last, overview.counts.onTheWay);
  const rules = [...new Set(violations.map(({ rule }) => rule))].join('; ');
  byId('verdict').textContent = rules === '' ? text('simulatorGood', { trace }) : text('simulatorBad', { rules });
  const isPlanOfSeed = !/loss|kills/.test(location.hash);
  byId('again').hidden = !isPlanOfSeed;
  byId('command').textContent = `npm run simulate -- --seed ${plan.seed} --hours ${plan.hours} --store memory`;
}

function showLegend(): void {
  byId('legend').replaceChildren(
    ...tiles.map((tile) => create('span', {}, create('span', { className: `tile ${tile}` }), text(tileTexts[tile]))),
  );
}

forbidZodEval();
readBodiesInMicrotasks();
connectHeader(showLegend);
showLegend();
speed.addEventListener('input', showSliders);
for (const input of [loss, kills]) {
  input.addEventListener('input', showSliders);
  input.addEventListener('change', () => setInAddress(input));
}
byId('settings').addEventListener('submit', (event) => {
  event.preventDefault();
  setInAddress(seed);
});
addEventListener('hashchange', () => void run());
void run();

/** Puts a setting into the address, and starts a run with it. */
function setInAddress({ id, value }: HTMLInputElement): void {
  const settings = new URLSearchParams(location.hash.slice(1));
  settings.set(id, value);
  const isChanged = location.hash.slice(1) !== settings.toString();
  location.hash = settings.toString();
  if (!isChanged) void run();
}
