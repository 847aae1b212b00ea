import type { ClusterImpact } from '../../../functions/core/impact/report.ts';
import { unjudgedMerge } from '../../../functions/core/impact/unmerged.ts';
import { warningsOfUnread } from '../../../functions/core/impact/unread-applications.ts';
import { type DisruptionClass, disruptionClasses } from '../../../functions/core/machine-config/disruption.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import type { ChangeRead } from './change-read.ts';
import { impactOutput } from './impact-output.ts';
import type { ImpactRequest } from './impact-request.ts';
import { type AsPushed, type Judged, judge } from './judge.ts';
import { look } from './look.ts';
import { readChange } from './read-change.ts';
import type { RecordedCluster } from './recorded-cluster.ts';
/** Predicts the impact of the change and prints it; without a change, only records the cluster. Throws Misconfigured
 *  and Transient. */
export async function predictImpact(wishes: ImpactRequest, surroundings: Surroundings): Promise<ExitStatus> {
  const change = wishes.change === undefined ? undefined : await readChange(wishes.change, surroundings);
  const seen = await look(wishes, change?.files, surroundings);
  if (change === undefined) {
    for (const { text } of warningsOfUnread(seen.unreadApplications, [])) surroundings.note(`${text}.`);
    return 0;
  }
  const pushed = asPushed(wishes, change, seen, surroundings);
  const impact = withMerge(judge(seen, change.files, pushed), wishes, change);
  surroundings.out(await impactOutput({ impact, seen, isAsked: pushed !== undefined }, wishes, surroundings));
  return wishes.failOn !== undefined && suffers(impact, wishes.failOn) ? 3 : 0;
}

/** What merging gives is not judged where it is not known. */
function withMerge(judged: Judged, { change }: ImpactRequest, { files, unmerged }: ChangeRead): Judged {
  if (change?.kind !== 'git' || unmerged === undefined) return judged;
  return { ...judged, unjudged: [...judged.unjudged, ...unjudgedMerge(change.from, unmerged, files)] };
}

/** Without a repository or any Application, all of the change counts. Where a clone does not know which branch is the
 *  default one, this may be it; folders never do, so that there it is what is usually called so. */
function asPushed(
  { change, url, branch, everything }: ImpactRequest,
  { origin, otherNames, defaultBranch, headRemedy, branch: base }: ChangeRead,
  { applications }: RecordedCluster,
  { note }: Surroundings,
): AsPushed {
  const htmlUrl = url ?? origin;
  if (everything || htmlUrl === undefined || applications.length === 0) {
    if (!everything) note('Not limited to what Applications deploy: all of the change counts.');
    return undefined;
  }
  const named = branch ?? base;
  const pushed = named ?? defaultBranch ?? 'main';
  const usual = change?.kind === 'folders' ? usualDefault(pushed) : undefined;
  return {
    htmlUrl,
    ...(url === undefined ? { otherNames } : {}),
    defaultBranch: defaultBranch ?? usual ?? pushed,
    ref: `refs/heads/${pushed}`,
    isBranchNamed: named !== undefined,
    isRepositoryNamed: url !== undefined,
    isDefaultKnown: defaultBranch !== undefined || usual === pushed,
    headRemedy,
  };
}

function usualDefault(branch: string): string {
  return branch === 'master' ? branch : 'main';
}

/** What is unknown, and concerns a pool or may, counts as a reboot. */
function suffers({ pools, unknown, unjudged }: Judged, atLeast: DisruptionClass): boolean {
  const worst = Math.max(-1, ...pools.filter(changes).map((pool) => disruptionClasses.indexOf(pool.class ?? 'reboot')));
  const isDoubtful = (unknown.length > 0 && pools.length > 0) || unjudged.some(({ mayBring }) => mayBring);
  return Math.max(worst, isDoubtful ? disruptionClasses.length - 1 : -1) >= disruptionClasses.indexOf(atLeast);
}

function changes({ update }: ClusterImpact['pools'][number]): boolean {
  return update !== 'nothing';
}
