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

const help = `Writes down everything that \`npx poolkeeper explain\` asks a cluster, so that somebody else can ask why without it. Secrets are left out:
no environment, commands or files of pods, no content of MachineConfigs, and every text is freed of credentials. Reads only.

  npx poolkeeper record --pool worker -o worker.json
  npx poolkeeper explain --snapshot worker.json

  --pool P[,Q]      the pools (default: all)
  --node N          one node, however long it has been at it
  -o, --out FILE    where to; it must not exist
  --follow TIME     go on for so long, a snapshot a line: \`npx poolkeeper replay FILE\` plays it as incidents and messages
  --every TIME      with --follow: default 1m, as often as Poolkeeper itself looks
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file)

The form of a snapshot: docs/schemas/snapshot.schema.json.
`;

export const record: Command = {
  about: 'write down what explain asks, without secrets, to be explained elsewhere',
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
    if (out === undefined) throw new Misconfigured(['-o is missing: the file to write']);
    if (node !== undefined && !isKubernetesName(node))
      throw new Misconfigured([`--node: ${node} is no Kubernetes name`]);
    const wished = { pools: namesOf(read.pool, '--pool'), node };
    const lasting = read.follow === undefined ? 0 : secondsOf(read.follow, '--follow');
    const every = secondsOf(read.every, '--every');
    const source = await pickSource(read, surroundings);
    const { wait = setTimeout } = surroundings;
    try {
      await writeFile(out, '', { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
        throw new Misconfigured([`${out}: cannot be written, or is there already`], { cause });
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

/** One look, written down. Pools that cannot be read are worth recording too. Throws Misconfigured as the look does. */
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
  // What a replay will ask later, such as what ended an incident, depends on what went before: the recorder plays
  // along.
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
