import { disruptionClasses } from '../../../functions/core/machine-config/disruption.ts';
import { clusterFlagsHelp } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { configHelp } from '../configuration-file.ts';
import { outputForms } from '../output.ts';
import { readImpactRequest } from './impact-request.ts';

const help = `Predicts what a change of manifests does to the nodes of a cluster: which pools are re-rendered, why, how their nodes are
disrupted, and a readable diff with secrets masked. Changes nothing.

  poolkeeper impact --repo . --from main --to HEAD --context admin@prod
  poolkeeper impact --repo acme/platform --from main --to topic --cluster prod-eu-1            (GitHub's API and poolkeeper.yaml)
  poolkeeper impact --repo . --from main --to HEAD --snapshot prod.json --fail-on reboot       (in CI, without a cluster)
  poolkeeper impact --dir before/ after/                                                       (offline)
  poolkeeper impact --record prod.json --context admin@prod

  --repo R          a local clone, read with git; or OWNER/NAME at GitHub, read with the token in GITHUB_TOKEN (GITHUB_API_URL for
                    an Enterprise Server). The change is what merging --to into --from pushes; at GitHub, --to compared with its
                    merge base with --from, and unknown where that has changed the same folders since
  --from A, --to B  commits, branches or tags
  --dir A B         two folders instead: before and after
  --snapshot FILE   predict it for a recorded cluster (--record, or \`oc get mcp,mc,... -o json\`)
  --record FILE     record the cluster: pools, MachineConfigs without secrets, policy, Applications
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service; the Applications are those that deploy to it, wherever
                    their Argo CD runs. Without any of these: the pools that every cluster has
${configHelp}
  --url URL         address of the repository, to find the Applications that deploy it (default: that of --repo)
  --branch NAME     branch it would be merged into (default: --from, if that is one, as release-4.17 or origin/release-4.17; else the
                    remote's default branch, else main)
  --status URL      a running Poolkeeper (with POOLKEEPER_STATUS_TOKEN, if set), for how long the nodes of each pool took lately; with
                    --cluster. Without it, durations are those that \`oc adm upgrade status\` plans with
  --everything      do not check which Applications deploy it: all of it counts
  --no-diff         leave out the diff
  --fail-on CLASS   exit 3 if the disruption is this or worse: ${disruptionClasses.join(', ')}; unknown counts as reboot
  -o, --output F    text (default), wide, json (docs/schemas/impact.schema.json), yaml, or markdown for a comment or a job summary

Exit status: 0 = success, 1 = failure, 2 = wrong usage or configuration, 3 = --fail-on.
`;

export const impact: Command = {
  help,
  values: { output: [...outputForms, 'markdown'], 'fail-on': disruptionClasses },
  run: async (args, surroundings) => {
    const wishes = readImpactRequest(args);
    const { predictImpact } = await import('./predict-impact.ts');
    return predictImpact(wishes, surroundings);
  },
};
