import * as z from 'zod';
import { stable } from '../text/stable.ts';
import type { CanaryWay } from './canary-plan.ts';
import { isReserved } from './reserved-label.ts';

/** The pool annotation that says what a run in mode canary has written, from before its first write until all is as it
 *  was: who knows nothing else of the run can put everything back. */
export const canaryAnnotation = 'poolkeeper.dev/canary';

const key = z.string().min(1).max(317);
const labels = z.record(key, z.string().max(63).nullable());

/** As it is stored. A selector that is absent: the pool had none. */
const CanaryState = z.object({
  v: z.literal(1),
  run: z.string().min(1),
  /** When it was begun: a run that begins again has another note. Absent in notes of earlier versions. */
  at: z.iso.datetime().optional(),
  /** Since when it is put back: whoever judged before writes nothing any more. */
  ending: z.iso.datetime().optional(),
  /** The pool that nodes move to. */
  canary: z.string().min(1),
  /** The pools whose nodes have turns. */
  targets: z.array(z.string().min(1)),
  way: z.object({
    marks: z.record(key, z.string().max(63)),
    entry: labels,
    back: labels,
    selectors: z.array(
      z.object({ pool: z.string().min(1), original: z.unknown().optional(), during: z.unknown().optional() }),
    ),
  }),
});

export interface CanaryState {
  readonly v: 1;
  readonly run: string;
  readonly at?: string | undefined;
  readonly ending?: string | undefined;
  readonly canary: string;
  readonly targets: readonly string[];
  readonly way: CanaryWay;
}

/** A pool that has such an annotation, and what it says; `unreadable`: nobody can tell. */
export interface FoundCanary {
  readonly pool: string;
  readonly state: CanaryState | 'unreadable';
}

/** Every such annotation of these pools. */
export function canariesOn(
  pools: readonly { readonly name: string; readonly noted: string | undefined }[],
): readonly FoundCanary[] {
  return pools.flatMap(({ name, noted }) => (noted === undefined ? [] : [{ pool: name, state: canaryStateOf(noted) }]));
}

/** The annotation as it is, or as somebody made it. */
export function canaryStateOf(text: string): CanaryState | 'unreadable' {
  try {
    return readCanaryState(JSON.parse(text));
  } catch {
    return 'unreadable';
  }
}

export function readCanaryState(stored: unknown): CanaryState | 'unreadable' {
  const read = CanaryState.safeParse(stored);
  if (!read.success || [...keysOf(read.data.way)].some(isReserved)) return 'unreadable';
  const { way } = read.data;
  const selectors = way.selectors.map(({ pool, original, during }) => ({ pool, original, during }));
  return { ...read.data, way: { ...way, selectors } };
}

export function isSameCanary(a: CanaryState | 'unreadable', b: CanaryState | 'unreadable'): boolean {
  return stable(plain(a)) === stable(plain(b));
}

/** As it is stored: what is undefined is absent there. */
function plain(state: CanaryState | 'unreadable'): unknown {
  return JSON.parse(JSON.stringify(state));
}

function keysOf({ marks, entry, back }: Pick<CanaryWay, 'marks' | 'entry' | 'back'>): readonly string[] {
  return [marks, entry, back].flatMap((each) => Object.keys(each));
}
