import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { Misconfigured } from '../../../functions/core/errors.ts';
import type { FilesRead } from '../../../functions/core/impact/changed-file.ts';
import { durationText, estimate, estimateSource, estimateText } from '../../../functions/core/impact/estimate.ts';
import { parseFiles } from '../../../functions/core/impact/manifest-file.ts';
import { impactDocument } from '../../../functions/core/impact/report/json.ts';
import { impactText } from '../../../functions/core/impact/report/text.ts';
import { type ClusterImpact, type DisruptionClass, disruptionClasses } from '../../../functions/core/impact/report.ts';
import { clusterName } from '../../own-cluster.ts';
import type { Command, Surroundings } from '../command.ts';
import { clusterFlagsHelp, pickCluster } from '../pick-cluster.ts';
import { type ClusterSight, readObjects, readRecording, recordingText, sightOf } from './cluster-objects.ts';
import { type AsPushed, everythingIn, judge } from './judge.ts';
import { readFolders } from './read-folders.ts';
import { readGit } from './read-git.ts';
import { usualCluster } from './usual-pools.ts';
import { type ChangeWish, readWishes, type Wishes } from './wishes.ts';

const help = `Says what a change of manifests does to the nodes of a cluster, before it lands: which pools render anew, why, what their nodes
suffer, and the readable diff with secrets masked. Nothing is changed anywhere.

  npx poolkeeper impact --repo . --from main --to HEAD --context admin@prod
  npx poolkeeper impact --repo . --from main --to HEAD --snapshot prod.json --fail-on reboot       (in CI, without a cluster)
  npx poolkeeper impact --dir before/ after/                                                       (offline)
  npx poolkeeper impact --record prod.json --context admin@prod

  --repo FOLDER     a clone on this machine, read with git; what --to brings over its merge base with --from
  --from A, --to B  commits, branches or tags
  --dir A B         two folders instead: before and after
  --snapshot FILE   tell it for a recorded cluster (--record, or \`oc get mcp,mc,... -o json\`)
  --record FILE     record the cluster: pools, MachineConfigs with whatever may be secret left out, policy, Applications
${clusterFlagsHelp}
                    without --snapshot, --context and --kubeconfig: the pools that every cluster has
  --url URL         address of the repository, to find the Applications that deploy it (default: remote origin of --repo)
  --branch NAME     branch it would be merged into (default: the remote's default branch, else main)
  --everything      do not ask which Applications deploy it: all of it counts
  --no-diff         leave out the diff
  --fail-on CLASS   exit 3 when nodes suffer that or worse: ${disruptionClasses.join(', ')}; what cannot be told is a reboot
  --output F        text (default) or json

Exit status: 0 = told, 1 = it went wrong, 2 = something must be mended first, 3 = --fail-on.
`;

export const impact: Command = {
  about: 'say what a change does to pools and nodes, before it lands',
  help,
  run: async (args, surroundings) => {
    const wishes = readWishes(args);
    const change = wishes.change === undefined ? undefined : await readChange(wishes.change);
    const seen = await look(wishes, change?.files, surroundings);
    if (change === undefined) return 0;
    const pushed = asPushed(wishes, change, seen, surroundings);
    const told = judge(seen, change.files, pushed);
    surroundings.out(
      wishes.output === 'json'
        ? `${JSON.stringify(impactDocument([told]), undefined, 2)}\n`
        : textOf(told, wishes.showDiff, surroundings),
    );
    return wishes.failOn !== undefined && suffers(told, wishes.failOn) ? 3 : 0;
  },
};

interface ChangeRead {
  readonly files: FilesRead;
  readonly origin: string | undefined;
  readonly defaultBranch: string | undefined;
}

async function readChange(wish: ChangeWish): Promise<ChangeRead> {
  if (wish.kind === 'git') return readGit(wish.repository, wish);
  return { files: await readFolders(wish.before, wish.after), origin: undefined, defaultBranch: undefined };
}

/** The cluster, recorded where that is wanted. */
async function look(
  { cluster, record }: Wishes,
  files: FilesRead | undefined,
  surroundings: Surroundings,
): Promise<ClusterSight> {
  switch (cluster.kind) {
    case 'none':
      surroundings.note(
        'No cluster was looked at: these are the pools that every cluster has, and nodes are not known.',
      );
      return usualCluster(
        everythingIn({ ...noFiles, ...files, files: parseFiles(files?.files ?? [], manifestReader()) }),
      );
    case 'snapshot': {
      const text = await readFile(cluster.file, 'utf8').catch((cause: unknown) => {
        throw new Misconfigured([`--snapshot ${cluster.file}: cannot be read`], { cause });
      });
      return sightOf(basename(cluster.file).replace(/\.json$/, ''), readRecording(text, cluster.file));
    }
    case 'live': {
      const { connection, kubeconfig } = await pickCluster(cluster, surroundings);
      try {
        const name = clusterName(kubeconfig.context);
        const objects = await readObjects(connection.client);
        if (record !== undefined) {
          await writeFile(record, recordingText(name, objects, surroundings.now()), { mode: 0o600 });
          surroundings.note(`Recorded ${objects.length} objects of ${name} in ${record}.`);
        }
        return sightOf(name, objects);
      } finally {
        await connection.close();
      }
    }
    default:
      return cluster satisfies never;
  }
}

const noFiles: FilesRead = { files: [], tools: [], incomplete: undefined };

/** Without a repository, or without any Application, nobody can be asked: then all of the change counts. */
function asPushed(
  { url, branch, everything }: Wishes,
  { origin, defaultBranch = 'main' }: ChangeRead,
  { applications }: ClusterSight,
  { note }: Surroundings,
): AsPushed {
  const htmlUrl = url ?? origin;
  if (everything || htmlUrl === undefined || applications.length === 0) {
    if (!everything) note('No Application is asked which of it is deployed: all of it counts.');
    return undefined;
  }
  return { htmlUrl, defaultBranch, ref: `refs/heads/${branch ?? defaultBranch}` };
}

function textOf(told: ClusterImpact, showDiff: boolean, { environment }: Surroundings): string {
  const width = Number(environment['COLUMNS'] ?? process.stdout.columns ?? 100);
  const takes = told.pools.flatMap((pool) => {
    const each = estimate(pool);
    return each === undefined ? [] : [{ pool, each }];
  });
  const lines = takes.map(({ pool, each }) => `  ${pool.pool}: ${estimateText(pool, each)}`);
  const longest = Math.max(0, ...takes.map(({ each }) => each.minutes));
  const foot =
    lines.length === 0
      ? ''
      : `\nIt takes ${durationText(longest)} where pools roll side by side, ${estimateSource.replaceAll('`', '')}.\n${lines.join('\n')}\n`;
  return `${impactText([told], { width, showDiff })}${foot}`;
}

function suffers({ pools, unknown }: ClusterImpact, atLeast: DisruptionClass): boolean {
  const worst = Math.max(-1, ...pools.filter(changes).map((pool) => disruptionClasses.indexOf(pool.class ?? 'reboot')));
  return (
    Math.max(worst, unknown.length > 0 && pools.length > 0 ? disruptionClasses.length - 1 : -1) >=
    disruptionClasses.indexOf(atLeast)
  );
}

function changes({ update }: ClusterImpact['pools'][number]): boolean {
  return update !== 'nothing';
}
