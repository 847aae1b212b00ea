import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { clusterReader } from '../../functions/adapters/kubernetes/object-reader.ts';
import { clusterPools } from '../../functions/adapters/kubernetes/pools.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { product } from '../../functions/shell/product.ts';
import { recording } from '../snapshot/recording-client.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { type Command, isKubernetesName, namesOf, readArgs, type Surroundings } from './command.ts';
import { type ExplainRequest, explainFrom } from './explain/explain.ts';
import { liveFlags, pickSource, type Source } from './explain/pick-source.ts';
import { clusterFlagsHelp } from './pick-cluster.ts';
import { createPlayer, type Player } from './replay/player.ts';

const help = `Records everything that \`npx poolkeeper explain\` reads from a cluster, so that others can explain it without access. Secrets are left out:
no environment, commands or files of pods, no content of MachineConfigs, and credentials are removed from every text. Read only.

  npx poolkeeper record --pool worker -o worker.json
  npx poolkeeper explain --snapshot worker.json

  --pool P[,Q]      the pools (default: all)
  --node N          one node, even if its update has just begun
  -o, --out FILE    output file; must not exist
  --follow TIME     keep recording for so long, one snapshot per line: \`npx poolkeeper replay FILE\` turns it into incidents and messages
  --every TIME      with --follow: default 1m, the interval of Poolkeeper itself
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file)

Format of a snapshot: docs/schemas/snapshot.schema.json.
`;

export const record: Command = {
  about: 'record what explain reads, without secrets, to explain it elsewhere',
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...liveFlags,
      pool: { type: 'string' },
      node: { type: 'string' },
      out: { type: 'string', short: 'o' },
      follow: { type: 'string' },
      every: { type: 'string', default: '1m' },
    });
    const { node, out } = read;
    if (out === undefined) throw new Misconfigured(['-o is missing: the output file']);
    if (node !== undefined && !isKubernetesName(node))
      throw new Misconfigured([`--node: ${node} is not a Kubernetes name`]);
    const wished = { pools: namesOf(read.pool, '--pool'), node };
    const lasting = read.follow === undefined ? 0 : secondsOf(read.follow, '--follow');
    const every = secondsOf(read.every, '--every');
    const source = await pickSource(read, surroundings);
    const { wait = setTimeout } = surroundings;
    try {
      await writeFile(out, '', { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
        throw new Misconfigured([`${out}: cannot be written, or already exists`], { cause });
      });
      const player =
        lasting === 0 ? undefined : createPlayer({ cluster: source.cluster, policy: source.policy, product });
      const times = Math.floor(lasting / every) + 1;
      for (let time = 0; time < times; time += 1) {
        if (time > 0) await wait(every * 1000);
        const snapshot = await snapshotOf(source, wished, surroundings, player);
        await appendFile(out, `${JSON.stringify(snapshot)}\n`);
        surroundings.note(`${snapshot.takenAt}: ${snapshot.readings.length} answers`);
      }
      surroundings.out(`${out}\n`);
      return 0;
    } finally {
      await source.close();
    }
  },
};

/** One recorded look. Pools that cannot be read are worth recording too. Throws Misconfigured as `explainCluster`
 *  does. */
export async function snapshotOf(
  source: Source,
  wished: ExplainRequest,
  { now }: Pick<Surroundings, 'now'>,
  player?: Player,
): Promise<Snapshot> {
  const { client, cluster } = source;
  if (client === undefined) throw new Misconfigured(['only a live cluster can be recorded']);
  const takenAt = now();
  const tape = recording(client, now);
  const { change } = source.observed;
  const observed = { pools: clusterPools(tape.client), reader: clusterReader(tape.client, now), change };
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
    changes,
    readings: tape.readings(),
  });
}

function secondsOf(text: string, flag: string): number {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds < 1) throw new Misconfigured([`${flag} ${text}: how long? 30s, 5m, 2h`]);
  return seconds;
}
