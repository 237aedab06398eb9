/** An event of a Chromium trace; times in µs. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
}

const kinds = ['parse', 'style', 'layout', 'compile', 'evaluate', 'script', 'paint', 'other'] as const;
type Kind = (typeof kinds)[number];

/** The main thread's time by kind of work, in ms. The time of a nested task counts for its own kind only. */
export type Breakdown = Readonly<Record<Kind, number>>;

/** Maps the names of events to kinds. The time of an event with any other name counts for the event around it. */
const eventNamesOfKinds: readonly (readonly [Kind, RegExp])[] = [
  ['parse', /^(ParseHTML|ParseAuthorStyleSheet)$/],
  ['style', /^(UpdateLayoutTree|RecalculateStyles)$/],
  ['layout', /^Layout$/],
  ['compile', /^v8\.(compile|compileModule|parse.*|produceCache)$|^V8\.(Compile|Parse)/],
  ['evaluate', /^(EvaluateScript|v8\.evaluateModule)$/],
  // Everything that runs after the module: timers, promises, responses, and the renders that they cause.
  [
    'script',
    /^(FunctionCall|RunMicrotasks|TimerFire|FireAnimationFrame|EventDispatch|XHR.*|v8\.run|v8\.callFunction)$/,
  ],
  ['paint', /^(Paint|PrePaint|Layerize|Commit|UpdateLayer.*|CompositeLayers)$/],
  ['other', /^(ThreadControllerImpl::RunTask|RunTask|MinorGC|MajorGC|V8\.GC.*)$/],
];

/** The name of the performance mark that the probe sets in the page when a mark is reached. */
export const markName = 'bench-seen';

/** Adds up what the main thread did from the navigation's start until the mark. */
export function computeBreakdown(trace: string): Breakdown {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: readonly TraceEvent[] };
  const mark = traceEvents.find(({ name }) => name === markName);
  if (mark === undefined) throw new Error('the trace has no mark');
  const mainThreadEvents = traceEvents
    .filter(({ ph, pid, tid, ts }) => ph === 'X' && pid === mark.pid && tid === mark.tid && ts < mark.ts)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const msByKind = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const openTasks: { readonly kind: Kind; readonly end: number }[] = [];
  for (const { name, ts, dur = 0 } of mainThreadEvents) {
    while ((openTasks.at(-1)?.end ?? Infinity) <= ts) openTasks.pop();
    const outerTask = openTasks.at(-1);
    const kind = eventNamesOfKinds.find(([, names]) => names.test(name))?.[0] ?? outerTask?.kind;
    if (kind === undefined) continue;
    const end = Math.min(ts + dur, mark.ts, outerTask?.end ?? Infinity);
    msByKind[kind] += (end - ts) / 1000;
    if (outerTask) msByKind[outerTask.kind] -= (end - ts) / 1000;
    openTasks.push({ kind, end });
  }
  return msByKind;
}
