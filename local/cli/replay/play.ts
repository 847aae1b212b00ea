import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { readerOfSnapshot } from '../../snapshot/cluster-reader.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Course, createPlayer } from './player.ts';

/** Runs a recording through observation, judgement, incidents and messages on the recording's own clock.
 *  Deterministic. */
export async function play(
  recording: readonly Snapshot[],
  { policy, product }: { readonly policy: Policy; readonly product: string },
): Promise<Course> {
  const player = createPlayer({ cluster: recording[0]?.cluster ?? '', policy, product });
  for (const snapshot of recording) {
    await player.look(new Date(snapshot.takenAt), readerOfSnapshot(snapshot), snapshot.changes);
  }
  return player.course();
}
