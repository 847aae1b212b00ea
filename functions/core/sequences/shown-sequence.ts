import { clipped } from '../text/phrases.ts';
import type { SequenceProblem } from './sequence-problems.ts';
import type { SequenceItemView, SequenceView } from './sequence-view.ts';

/** A sequence for the status page: written by passes over its first cluster, read by `status`. Bounded: of ten thousand
 *  steps those are in it that somebody has to look at. */
export interface ShownSequence extends Omit<SequenceView, 'waves'> {
  readonly description?: string | undefined;
  /** The cluster that keeps its record. */
  readonly cluster: string;
  /** ISO instant of the look. */
  readonly readAt: string;
  readonly waves: readonly ShownWave[];
  /** Waves that are left out. */
  readonly wavesOmitted: number;
  /** What people have to know. */
  readonly problems: readonly SequenceProblem[];
}

export interface ShownWave {
  readonly wave: number;
  /** Steps and gates in all, and how many of them close no wave. */
  readonly items: number;
  readonly healthy: number;
  /** Those that are not healthy first. */
  readonly shown: readonly SequenceItemView[];
}

const wavesShown = 60;
/** Over all waves; each shows three at least. */
const itemsShown = 300;
const logShown = 30;
const problemsShown = 10;

export interface ShownWith {
  readonly description: string | undefined;
  readonly cluster: string;
  readonly problems: readonly SequenceProblem[];
  readonly now: Date;
}

export function shownSequence(view: SequenceView, { description, cluster, problems, now }: ShownWith): ShownSequence {
  const open = view.waves.findIndex(({ wave }) => wave === view.wave);
  // What is done before the open wave is of least interest.
  const first = Math.max(0, Math.min(open < 0 ? 0 : open - 5, view.waves.length - wavesShown));
  const waves = view.waves.slice(first, first + wavesShown);
  const each = Math.max(3, Math.floor(itemsShown / Math.max(1, waves.length)));
  return {
    ...view,
    description,
    cluster,
    readAt: now.toISOString(),
    waves: waves.map(({ wave, items }) => ({
      wave,
      items: items.length,
      healthy: items.filter(isOver).length,
      shown: [...items.filter((item) => !isOver(item)), ...items.filter(isOver)].slice(0, each).map(shortened),
    })),
    wavesOmitted: view.waves.length - waves.length,
    problems: problems
      .slice(0, problemsShown)
      .map(({ paused: _, isGone: __, ...problem }) => ({ ...problem, why: clipped(problem.why, 300) })),
    log: view.log.slice(-logShown).map((entry) => ({ ...entry, what: clipped(entry.what, 300) })),
  };
}

/** It holds nothing back. */
function isOver({ state }: Pick<SequenceItemView, 'state'>): boolean {
  return state === 'healthy' || state === 'skipped' || state === 'passed';
}

function shortened(item: SequenceItemView): SequenceItemView {
  return { ...item, value: clipped(item.value, 300) };
}
