// A breadth-first model checker: visits every state that a model can reach within a number of steps, and checks each.

/** A system whose states are compared by `key`. */
export interface Model<State> {
  readonly initial: State;
  /** Every step that is possible in a state, with a name for the trace. */
  steps(state: State): Iterable<Step<State>>;
  /** Two states with the same key behave alike and are visited once. */
  key(state: State): string;
  /** The rule that a state breaks, or undefined. */
  violation(state: State): string | undefined;
}

export interface Step<State> {
  readonly name: string;
  readonly next: State;
}

export interface Violation {
  readonly rule: string;
  /** The names of the steps that lead to the state: no shorter sequence does. */
  readonly trace: readonly string[];
}

export interface Exploration {
  /** Different states that were visited. */
  readonly states: number;
  /** Steps that were taken, also to states that had been visited before. */
  readonly steps: number;
  /** The number of steps of the longest explored sequence. */
  readonly depth: number;
  /** true: every state within the depth was visited; false: the limit of states ended the exploration. */
  readonly complete: boolean;
  readonly violation: Violation | undefined;
}

interface Visited<State> {
  readonly state: State;
  readonly name: string;
  readonly from: Visited<State> | undefined;
}

function traceTo<State>(visited: Visited<State>): readonly string[] {
  const names: string[] = [];
  for (let at = visited; at.from !== undefined; at = at.from) names.push(at.name);
  return names.reverse();
}

/** Explores a model up to `maxDepth` steps and `maxStates` states; ends at the first state that is wrong. */
export function explore<State>(
  model: Model<State>,
  { maxDepth, maxStates = Infinity }: { readonly maxDepth: number; readonly maxStates?: number },
): Exploration {
  const seen = new Set([model.key(model.initial)]);
  let frontier: Visited<State>[] = [{ state: model.initial, name: '', from: undefined }];
  let steps = 0;
  let depth = 0;
  const result = (complete: boolean, violation?: Violation): Exploration => ({
    states: seen.size,
    steps,
    depth,
    complete,
    violation,
  });
  const rule = model.violation(model.initial);
  if (rule !== undefined) return result(true, { rule, trace: [] });
  while (frontier.length > 0 && depth < maxDepth) {
    const next: Visited<State>[] = [];
    depth += 1;
    for (const from of frontier)
      for (const { name, next: state } of model.steps(from.state)) {
        steps += 1;
        const key = model.key(state);
        if (seen.has(key)) continue;
        seen.add(key);
        const visited = { state, name, from };
        const broken = model.violation(state);
        if (broken !== undefined) return result(false, { rule: broken, trace: traceTo(visited) });
        if (seen.size >= maxStates) return result(false);
        next.push(visited);
      }
    frontier = next;
  }
  return result(true);
}

/** The violation of the first exploration that finds one. Later explorations are not run. */
export function firstViolation(explorations: readonly (() => Exploration)[]): Violation | undefined {
  for (const run of explorations) {
    const { violation } = run();
    if (violation !== undefined) return violation;
  }
  return undefined;
}
