import { clusterReader } from '../../functions/adapters/kubernetes/object-reader.ts';
import { clusterPools } from '../../functions/adapters/kubernetes/pools.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { redacted } from '../snapshot/for-sharing.ts';
import { recording } from '../snapshot/recording-client.ts';
import { applicationsAtMost, Snapshot } from '../snapshot/snapshot.ts';
import type { Surroundings } from './command.ts';
import { type ExplainRequest, explainFrom } from './explain/explain-source.ts';
import type { Source } from './explain/pick-source.ts';
import type { Player } from './replay/player.ts';
/** One recorded look. Pools that cannot be read are worth recording too. Throws Misconfigured as `explainCluster`
 *  does. */
export async function takeSnapshot(
  source: Source,
  wished: ExplainRequest,
  { now }: Pick<Surroundings, 'now'>,
  player?: Player,
): Promise<Snapshot> {
  const { client, cluster } = source;
  if (client === undefined) throw new Misconfigured(['only a live cluster can be recorded']);
  const takenAt = now();
  const tape = recording(client, now);
  const { change, applications } = source.observed.anew?.() ?? source.observed;
  const known = (await applications?.()) ?? [];
  const observed = {
    pools: clusterPools(tape.client),
    reader: clusterReader(tape.client, now),
    change,
    applications: async () => known,
  };
  const explanation = await explainFrom({ ...source, now: takenAt, observed }, wished).catch((cause: unknown) => {
    if (!(cause instanceof Transient)) throw cause;
    return undefined;
  });
  const changes = Object.fromEntries(
    (explanation?.pools ?? []).flatMap((pool) => (pool.change === undefined ? [] : [[pool.name, pool.change]])),
  );
  // What a replay will ask later, such as what ended an incident, depends on earlier looks: the recorder plays along.
  await player?.look(takenAt, observed, changes);
  return Snapshot.parse({
    v: 1,
    cluster,
    takenAt: takenAt.toISOString(),
    firstSeen: source.firstSeen,
    waitsForRender: source.waitsForRender,
    changes: redacted(changes),
    applications: redacted(known.slice(0, applicationsAtMost)),
    readings: tape.readings(),
  });
}
