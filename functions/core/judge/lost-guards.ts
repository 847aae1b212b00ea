import type { GuardProblem, LostGuards } from '../guard/guard-problem.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import type { JudgeInput } from './input.ts';

/** How often within an hour guards are taken away before that is told: once or twice may be a person, or a sync. */
const toldAfter = 3;
const withinSeconds = 3600;

/** Seconds that they stand, at least, before it is over; otherwise as long as it took to take them away three times. */
const overAfterSeconds = 600;

/** AppProjects that are counted at most. */
const projectsAtMost = 100;

interface Loss extends LostGuards {
  /** ISO instant. */
  readonly at: string;
}

export interface LostClocks {
  /** Told now, each with the first time that counts. */
  readonly told: readonly { readonly problem: Extract<GuardProblem, { kind: 'lost' }>; readonly since: string }[];
  /** To be stored until the next pass. */
  readonly firstSeen: JudgeInput['firstSeen'];
}

/** Counts how often guards were taken away.
 *  @param known the clocks of earlier passes, whose keys all begin with `prefix`
 *  @param lost in this pass; undefined: none */
export function lostClocks(
  known: JudgeInput['firstSeen'],
  lost: readonly LostGuards[] | undefined,
  { prefix, now }: { readonly prefix: string; readonly now: Date },
): LostClocks {
  const before = Object.entries(known).flatMap(([key, at]) => lossOf(key.slice(prefix.length), at));
  const fresh = (lost ?? []).map((each): Loss => ({ ...each, at: now.toISOString() }));
  const recent = [...before, ...fresh].filter(({ at }) => secondsSince(at, now) <= withinSeconds);
  const byProject = Map.groupBy(recent, ({ namespace, project }) => `${namespace}/${project}`);
  const counted = [...byProject.values()]
    .slice(0, projectsAtMost)
    .map((losses) => losses.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-toldAfter));
  return {
    told: counted.flatMap((losses) => {
      const [first, last] = [losses[0], losses.at(-1)];
      if (losses.length < toldAfter || first === undefined || last === undefined) return [];
      const seconds = Math.max(overAfterSeconds, secondsSince(first.at, new Date(last.at)));
      if (isPast(plusSeconds(new Date(last.at), seconds), now)) return [];
      const { at: _, ...project } = last;
      return [{ problem: { kind: 'lost', ...project }, since: first.at }];
    }),
    firstSeen: Object.fromEntries(counted.flat().map((loss) => [`${prefix}${keyOf(loss)}`, loss.at])),
  };
}

function keyOf({ namespace, project, isTracked, by, at }: Loss): string {
  return [namespace, project, isTracked ? 'git' : '', at, by].join('|');
}

function lossOf(key: string, at: string): readonly Loss[] {
  const [namespace, project, git, , ...by] = key.split('|');
  if (namespace === undefined || project === undefined) return [];
  return [{ namespace, project, isTracked: git === 'git', by: by.join('|'), at }];
}
