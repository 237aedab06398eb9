// A breadth-first model checker: visits every state that a model can reach within a number of steps, and checks each state.

/** A system with states, steps between states, and a rule for states. */
export interface Model<State> {
  readonly initial: State;
  /** Every step that is possible in a state, with a name for the trace. */
  steps(state: State): Iterable<Step<State>>;
  /** Identifies a state: of all states with the same key, only one is visited. */
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
  /** The names of the steps of a shortest sequence that leads to the state. */
  readonly trace: readonly string[];
}

export interface Exploration {
  /** Whether every state within the depth was visited; false when a violation ended the exploration. */
  readonly complete: boolean;
  readonly violation: Violation | undefined;
}

interface VisitedState<State> {
  readonly state: State;
  readonly name: string;
  readonly previous: VisitedState<State> | undefined;
}

function buildTrace<State>(visitedState: VisitedState<State>): readonly string[] {
  const names: string[] = [];
  for (let step = visitedState; step.previous !== undefined; step = step.previous) names.push(step.name);
  return names.reverse();
}

/** Explores a model up to `maxDepth` steps. Ends at the first state that breaks a rule. */
export function explore<State>(model: Model<State>, { maxDepth }: { readonly maxDepth: number }): Exploration {
  const visitedKeys = new Set([model.key(model.initial)]);
  let frontier: VisitedState<State>[] = [{ state: model.initial, name: '', previous: undefined }];
  const rule = model.violation(model.initial);
  if (rule !== undefined) return { complete: true, violation: { rule, trace: [] } };
  for (let depth = 0; frontier.length > 0 && depth < maxDepth; depth += 1) {
    const nextFrontier: VisitedState<State>[] = [];
    for (const previous of frontier)
      for (const { name, next: state } of model.steps(previous.state)) {
        const key = model.key(state);
        if (visitedKeys.has(key)) continue;
        visitedKeys.add(key);
        const visitedState = { state, name, previous };
        const brokenRule = model.violation(state);
        if (brokenRule !== undefined)
          return { complete: false, violation: { rule: brokenRule, trace: buildTrace(visitedState) } };
        nextFrontier.push(visitedState);
      }
    frontier = nextFrontier;
  }
  return { complete: true, violation: undefined };
}
