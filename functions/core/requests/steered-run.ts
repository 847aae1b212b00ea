import type { RunRecord, Said } from '../node-turns/run-record.ts';
import type { SteerRunRequest } from './request.ts';

/** How a run stood before somebody steered it. */
export type RunBefore = Pick<RunRecord, 'paused' | 'aborted' | 'turns'>;

type Act = SteerRunRequest['act'];

const done = {
  start: 'begins anew with the next tick',
  pause: 'is paused: what has begun goes on, no further node goes',
  'go-on': 'goes on with the next tick',
  abort: 'is aborted; nodes that are on their way come back first',
} as const satisfies Readonly<Record<Act, string>>;

/** Why nothing would come of it; undefined: something would. The holds of an aborted run have ended, or end as soon as
 *  what it began is over. */
export function whyNotSteered(act: Act, { aborted }: Pick<RunBefore, 'aborted'>): string | undefined {
  if (aborted === undefined || act === 'start' || act === 'abort') return undefined;
  return `it was aborted by ${saidWords(aborted)}; \`start\` begins it anew`;
}

/** What came of it, and whose word it ends or replaces. */
export function steeredText(run: string, act: Act, before: RunBefore): string {
  return [`Run ${run} ${done[act]}.`, ...earlierWords(act, before)].join(' ');
}

function earlierWords(act: Act, { paused, aborted }: RunBefore): readonly string[] {
  switch (act) {
    case 'pause':
      return paused === undefined ? [] : [`This replaces the pause by ${saidWords(paused)}.`];
    case 'abort':
      return aborted === undefined ? [] : [`This replaces the abort by ${saidWords(aborted)}.`];
    case 'go-on':
      return [paused === undefined ? 'It was not paused.' : `This ends the pause by ${saidWords(paused)}.`];
    case 'start':
      return [
        ...(aborted === undefined ? ['It was not aborted.'] : [`This ends the abort by ${saidWords(aborted)}.`]),
        ...(paused === undefined ? [] : [`This ends the pause by ${saidWords(paused)}.`]),
      ];
    default:
      return act satisfies never;
  }
}

function saidWords({ who, why }: Said): string {
  return `${who}: ${why}`;
}

/** What makes the run stand as it did; undefined: nothing does, as where that would end somebody's pause, or take nodes
 *  that somebody wants left out. */
export function actBack(act: Act, { paused, aborted, turns }: RunBefore): Act | undefined {
  if (aborted !== undefined) return act === 'start' ? 'abort' : undefined;
  if (paused !== undefined) return act === 'go-on' || act === 'start' ? 'pause' : undefined;
  if (act === 'pause') return 'go-on';
  const isAllTaken = Object.values(turns).every(({ leftOut }) => leftOut === undefined);
  return act === 'abort' && isAllTaken ? 'start' : undefined;
}
