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

const help = `Says what a change of manifests does to the nodes of a cluster, before it lands: which pools render anew, why, what their nodes
suffer, and the readable diff with secrets masked. Nothing is changed anywhere.

  npx poolkeeper impact --repo . --from main --to HEAD --context admin@prod
  npx poolkeeper impact --repo acme/platform --from main --to topic --cluster prod-eu-1            (GitHub's API and poolkeeper.yaml)
  npx poolkeeper impact --repo . --from main --to HEAD --snapshot prod.json --fail-on reboot       (in CI, without a cluster)
  npx poolkeeper impact --dir before/ after/                                                       (offline)
  npx poolkeeper impact --record prod.json --context admin@prod

  --repo R          a clone on this machine, read with git; or OWNER/NAME at GitHub, read with the token in GITHUB_TOKEN (GITHUB_API_URL for
                    an Enterprise Server). Told is what --to brings over its merge base with --from
  --from A, --to B  commits, branches or tags
  --dir A B         two folders instead: before and after
  --snapshot FILE   tell it for a recorded cluster (--record, or \`oc get mcp,mc,... -o json\`)
  --record FILE     record the cluster: pools, MachineConfigs with whatever may be secret left out, policy, Applications
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file); the Applications are those that
                    deploy to it, in whatever cluster their Argo CD runs
                    without any of these: the pools that every cluster has
  --url URL         address of the repository, to find the Applications that deploy it (default: that of --repo)
  --branch NAME     branch it would be merged into (default: the remote's default branch, else main)
  --everything      do not ask which Applications deploy it: all of it counts
  --no-diff         leave out the diff
  --fail-on CLASS   exit 3 when nodes suffer that or worse: ${disruptionClasses.join(', ')}; what cannot be told is a reboot
  --output F        text (default), json (docs/schemas/impact.schema.json) or markdown, for a comment or a job summary

Exit status: 0 = told, 1 = it went wrong, 2 = something must be mended first, 3 = --fail-on.
`;

export const impact: Command = {
  about: 'say what a change does to pools and nodes, before it lands',
  help,
  run: async (args, surroundings) => {
    const wishes = readImpactRequest(args);
    const change = wishes.change === undefined ? undefined : await readChange(wishes.change, surroundings);
    const seen = await look(wishes, change?.files, surroundings);
    if (change === undefined) return 0;
    const pushed = asPushed(wishes, change, seen, surroundings);
    const told = judge(seen, change.files, pushed);
    surroundings.out(impactOutput({ told, seen, isAsked: pushed !== undefined }, wishes, surroundings));
    return wishes.failOn !== undefined && suffers(told, wishes.failOn) ? 3 : 0;
  },
};

/** Without a repository, or without any Application, nobody can be asked: then all of the change counts. */
function asPushed(
  { url, branch, everything }: ImpactRequest,
  { origin, defaultBranch = 'main' }: ChangeRead,
  { applications }: RecordedCluster,
  { note }: Surroundings,
): AsPushed {
  const htmlUrl = url ?? origin;
  if (everything || htmlUrl === undefined || applications.length === 0) {
    if (!everything) note('No Application is asked which of it is deployed: all of it counts.');
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
