import type { Policy } from '../../../functions/core/configuration/policy.ts';
import type { Answer, Question } from '../../../functions/core/findings/question.ts';
import { readerOfSnapshot } from '../../snapshot/cluster-reader.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Course, createPlayer } from './player.ts';

/** What a recording led to, and what could not be judged because it is not in it. */
export interface Replayed extends Course {
  readonly notRead: readonly NotRead[];
}

export interface NotRead {
  /** GET path of the Kubernetes API. */
  readonly path: string;
  /** The first reason. */
  readonly why: string;
  /** Snapshots from which it was asked in vain. */
  readonly snapshots: number;
}

/** Runs a recording through observation, judgement, incidents and messages on the recording's own clock.
 *  Deterministic. */
export async function play(
  recording: readonly Snapshot[],
  { policy, product }: { readonly policy: Policy; readonly product: string },
): Promise<Replayed> {
  const player = createPlayer({ cluster: recording[0]?.cluster ?? '', policy, product });
  const missing = new Map<string, NotRead>();
  for (const snapshot of recording) {
    const here = new Map<string, string>();
    const observed = readerOfSnapshot(snapshot, (question, answer) => noteMissing(here, question, answer));
    await player.look(new Date(snapshot.takenAt), observed, snapshot.changes);
    for (const [path, why] of here) {
      const before = missing.get(path);
      missing.set(path, { path, why: before?.why ?? why, snapshots: (before?.snapshots ?? 0) + 1 });
    }
  }
  return { ...player.course(), notRead: [...missing.values()] };
}

/** Logs are in no recording, and a service without the right to them reads none either. */
function noteMissing(missing: Map<string, string>, { path, form }: Question, answer: Answer): void {
  if (answer.kind !== 'failed' || form === 'text' || missing.has(path)) return;
  missing.set(path, answer.why);
}
