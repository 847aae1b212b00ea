import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { product } from '../../functions/shell/product.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type Command, isKubernetesName, namesOf, readArgs } from './command.ts';
import { liveFlags, pickSource } from './explain/pick-source.ts';
import { clusterFlagsHelp } from './pick-cluster.ts';
import { createPlayer } from './replay/player.ts';
import { takeSnapshot } from './take-snapshot.ts';

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
Exit status: 0 = recorded, 1 = failure, 2 = wrong usage, or nothing answered.
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
      let answered = false;
      for (let time = 0; time < times; time += 1) {
        if (time > 0) await wait(every * 1000);
        const snapshot = await takeSnapshot(source, wished, surroundings, player);
        await appendFile(out, `${JSON.stringify(snapshot)}\n`);
        const failed = failuresOf(snapshot);
        answered ||= failed.length < snapshot.readings.length;
        surroundings.note(`${snapshot.takenAt}: ${answersText(snapshot.readings.length, failed)}`);
      }
      surroundings.out(`${out}\n`);
      return answered ? 0 : 2;
    } finally {
      await source.close();
    }
  },
};

function failuresOf({ readings }: Snapshot): readonly string[] {
  return readings.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer.why] : []));
}

function answersText(asked: number, failed: readonly string[]): string {
  const [first] = failed;
  return first === undefined
    ? `${asked} answers`
    : `${asked - failed.length} answers, ${failed.length} failed: ${first}`;
}

function secondsOf(text: string, flag: string): number {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds < 1) throw new Misconfigured([`${flag} ${text}: how long? 30s, 5m, 2h`]);
  return seconds;
}
