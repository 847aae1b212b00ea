import type { Depth } from '../../../../property.ts';
import { type Act, happened, isPossible } from './acts.ts';
import { confirmed } from './changes.ts';
import type { End } from './ends.ts';
import { looked, pass } from './passes.ts';
import { type Scene, type State, start } from './state.ts';

/** `looked`: passes look until nothing changes by them. `unseen`: none does. `late`: one that has read everything
 *  before the act writes after it. `cut`: one dies once it has stored the record. `twice`: two have read the same, and
 *  both write. */
export type Look = 'looked' | 'unseen' | 'late' | 'cut' | 'twice';

export interface Acts {
  readonly looked: readonly Act[];
  /** After which nobody looks, or somebody who has looked too early, twice, or dies. */
  readonly other?: readonly Act[];
  readonly looks?: readonly Look[];
  /** Before all. */
  readonly first: readonly Act[];
}

interface Step {
  readonly act: Act;
  readonly look: Look;
}

export interface Reached {
  readonly state: State;
  /** One of the shortest, in words. */
  readonly course: string;
}

/** Every state that courses of so many acts come by, each once. */
export function reached(acts: Acts, { goesOn }: Depth, scene: Scene): readonly Reached[] {
  const steps = stepsOf(acts);
  const begun = acts.first.reduce((state, act) => next({ act, look: 'looked' }, state, scene), start(scene));
  const known = new Map<string, Reached>([[keyOf(begun), { state: begun, course: '' }]]);
  const isNew = (each: Reached) => {
    // Each course that does something wrong is told, and none goes on from there.
    const isWrong = each.state.wrong.length > 0;
    const key = isWrong ? each.course : keyOf(each.state);
    if (known.has(key)) return false;
    known.set(key, each);
    return !isWrong;
  };
  let newest = [...known.values()];
  for (let nth = 0; newest.length > 0; nth += 1)
    newest = newest.filter(() => goesOn(nth)).flatMap((from) => onward(from, steps, scene).filter(isNew));
  return [...known.values()];
}

function stepsOf({ looked: acts, other = [], looks = [] }: Acts): readonly Step[] {
  return [
    ...acts.map((act) => ({ act, look: 'looked' as const })),
    ...looks.flatMap((look) => other.map((act) => ({ act, look }))),
  ];
}

function onward({ state, course }: Reached, steps: readonly Step[], scene: Scene): readonly Reached[] {
  return steps
    .filter(({ act }) => isPossible(act, state))
    .map((step) => ({ state: next(step, state, scene), course: `${course}${textOf(step)}; ` }));
}

/** The state after an act, and the passes that look at the cluster then, if any do. */
function next({ act, look }: Step, before: State, scene: Scene): State {
  const shown = confirmed({ ...before, at: before.at + 20_000 });
  const after = happened(act, shown, scene);
  switch (look) {
    case 'looked':
      return looked(after, scene);
    case 'unseen':
      return after;
    case 'late':
      return pass({ read: shown, now: after, scene });
    case 'cut':
      return pass({ read: after, now: after, scene }, true);
    case 'twice':
      return pass({ read: after, now: pass({ read: after, now: after, scene }), scene });
    default:
      return look satisfies never;
  }
}

function textOf({ act: { did, of }, look }: Step): string {
  return [of === undefined ? did : `${did} ${of}`, ...(look === 'looked' ? [] : [look])].join(', ');
}

/** Seconds at which something is judged otherwise: a time of grace, a Job, a node that is on its way. */
const ages = [15, 300, 900, 3_600, 6_000];

/** Two states count as one if they differ only in words, or in times of one age as far as anything is judged by it. */
function keyOf({ at, wrong: _, told: __, record, ...state }: State): string {
  const ageOf = (time: number) => `${ages.findIndex((age) => at - time <= age * 1000)}`;
  const { log: _log, conditions: _conditions, blockedSince: _since, ...known } = record;
  return JSON.stringify({ ...state, known }, (key, value: unknown) => {
    if (key === 'why' || key === 'last') return undefined;
    if (typeof value === 'number' && value > 1e9) return ageOf(value);
    if (typeof value !== 'string') return value;
    if (key === 'round') return value.replace(/-[0-9a-z]{8}$/, '');
    return /^\d{4}-\d\d-\d\dT/.test(value) ? ageOf(Date.parse(value)) : value;
  });
}

/** A few of the courses in which something was done that must not be, in words. */
export function wrongOf(states: readonly Reached[]): readonly string[] {
  return states.flatMap(({ state: { wrong }, course }) => wrong.map((each) => `${each}: ${course}`)).slice(0, 5);
}

/** A few of the courses that end otherwise than they should. */
export function badEnds(
  states: readonly Reached[],
  scene: Scene,
  { end, whatIsWrong }: { readonly end: End; readonly whatIsWrong: (state: State) => readonly string[] },
): readonly string[] {
  const good = new Set<string>();
  const bad: string[] = [];
  for (const { state, course } of states.filter((each) => each.state.wrong.length === 0)) {
    const seen: string[] = [];
    const last = end(state, scene, (each) => {
      const key = keyOf(each);
      seen.push(key);
      return good.has(key);
    });
    const wrong = last === undefined ? [] : [...whatIsWrong(last), ...last.wrong];
    if (wrong.length === 0) for (const key of seen) good.add(key);
    else bad.push(`${wrong.join(', ')}: ${course}`);
    if (bad.length === 5) break;
  }
  return bad;
}
