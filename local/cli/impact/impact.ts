import type { ClusterImpact } from '../../../functions/core/impact/report.ts';
import { type DisruptionClass, disruptionClasses } from '../../../functions/core/machine-config/disruption.ts';
import type { Command, Surroundings } from '../command.ts';
import { clusterFlagsHelp } from '../pick-cluster.ts';
import type { ChangeRead } from './change-read.ts';
import { impactOutput } from './impact-output.ts';
import { type ImpactRequest, readImpactRequest } from './impact-request.ts';
import { type AsPushed, judge } from './judge.ts';
import { look } from './look.ts';
import { readChange } from './read-change.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

const help = `Predicts what a change of manifests does to the nodes of a cluster: which pools are re-rendered, why, how their nodes are
disrupted, and a readable diff with secrets masked. Changes nothing.

  npx poolkeeper impact --repo . --from main --to HEAD --context admin@prod
  npx poolkeeper impact --repo acme/platform --from main --to topic --cluster prod-eu-1            (GitHub's API and poolkeeper.yaml)
  npx poolkeeper impact --repo . --from main --to HEAD --snapshot prod.json --fail-on reboot       (in CI, without a cluster)
  npx poolkeeper impact --dir before/ after/                                                       (offline)
  npx poolkeeper impact --record prod.json --context admin@prod

  --repo R          a local clone, read with git; or OWNER/NAME at GitHub, read with the token in GITHUB_TOKEN (GITHUB_API_URL for
                    an Enterprise Server). The change is --to compared with its merge base with --from
  --from A, --to B  commits, branches or tags
  --dir A B         two folders instead: before and after
  --snapshot FILE   predict it for a recorded cluster (--record, or \`oc get mcp,mc,... -o json\`)
  --record FILE     record the cluster: pools, MachineConfigs without secrets, policy, Applications
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file); the Applications are those that
                    deploy to it, wherever their Argo CD runs
                    without any of these: the pools that every cluster has
  --url URL         address of the repository, to find the Applications that deploy it (default: that of --repo)
  --branch NAME     branch it would be merged into (default: the remote's default branch, else main)
  --status URL      a running Poolkeeper (with POOLKEEPER_STATUS_TOKEN, if set), for how long the nodes of each pool took lately; with
                    --cluster. Without it, durations are those that \`oc adm upgrade status\` plans with
  --everything      do not check which Applications deploy it: all of it counts
  --no-diff         leave out the diff
  --fail-on CLASS   exit 3 if the disruption is this or worse: ${disruptionClasses.join(', ')}; unknown counts as reboot
  --output F        text (default), json (docs/schemas/impact.schema.json) or markdown, for a comment or a job summary

Exit status: 0 = success, 1 = failure, 2 = wrong usage or configuration, 3 = --fail-on.
`;

export const impact: Command = {
  about: 'predict what a change does to pools and nodes',
  help,
  run: async (args, surroundings) => {
    const wishes = readImpactRequest(args);
    const change = wishes.change === undefined ? undefined : await readChange(wishes.change, surroundings);
    const seen = await look(wishes, change?.files, surroundings);
    if (change === undefined) return 0;
    const pushed = asPushed(wishes, change, seen, surroundings);
    const impact = judge(seen, change.files, pushed);
    surroundings.out(impactOutput({ impact, seen, isAsked: pushed !== undefined }, wishes, surroundings));
    return wishes.failOn !== undefined && suffers(impact, wishes.failOn) ? 3 : 0;
  },
};

/** Without a repository or any Application, all of the change counts. */
function asPushed(
  { url, branch, everything }: ImpactRequest,
  { origin, defaultBranch = 'main' }: ChangeRead,
  { applications }: RecordedCluster,
  { note }: Surroundings,
): AsPushed {
  const htmlUrl = url ?? origin;
  if (everything || htmlUrl === undefined || applications.length === 0) {
    if (!everything) note('Not limited to what Applications deploy: all of the change counts.');
    return undefined;
  }
  return { htmlUrl, defaultBranch, ref: `refs/heads/${branch ?? defaultBranch}` };
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
