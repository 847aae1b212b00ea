import { applicationLink, commitLink, type LinkPlaces } from '../core/configuration/links.ts';
import { rolloutText } from '../core/node-rollouts/rollout-text.ts';
import type { NodeRollout } from '../core/openshift/node-rollout.ts';
import type { Cause } from '../core/openshift/render-cause.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { safeLine } from '../core/text/safe-text.ts';
import type { RebootStatus } from './status.ts';

/** Causes shown for one update. */
const causesShown = 10;

/** An ended node update. */
export function rebootStatus(rollout: NodeRollout, places?: LinkPlaces): RebootStatus {
  const { cluster, pool, node, from, to, begun, ended, unseen, rebooted, causes } = rollout;
  const endedAt = ended?.at.at;
  return {
    cluster,
    pool,
    node,
    from,
    to,
    begunAt: begun.at,
    endedAt,
    seconds: endedAt === undefined || unseen !== undefined ? undefined : Math.floor(secondsBetween(begun.at, endedAt)),
    unseen,
    outcome: ended?.how ?? 'done',
    rebooted,
    course: rolloutText(rollout),
    causes: causes.slice(0, causesShown).map(({ kind, why, sources, by }) => ({
      kind,
      why: safeLine(why, 400),
      machineConfigs: [...sources].slice(0, 20),
      application: by?.application,
      commit: by === undefined || by.revision === '' ? undefined : by.revision,
      ...linksOf(by, places),
    })),
  };
}

function linksOf(by: Cause['by'], places: LinkPlaces | undefined): Pick<RebootStatus['causes'][number], 'links'> {
  if (by === undefined || places === undefined) return {};
  const [application, commit] = [applicationLink(places, by.application), commitLink(places, by.revision)];
  return application === undefined && commit === undefined ? {} : { links: { application, commit } };
}
