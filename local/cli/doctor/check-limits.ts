import { limitNames, limitVersion } from '../../manifests/admission-limit.ts';
import type { BindingSeen } from './check-admission.ts';
import { type Finding, ok, wrong } from './finding.ts';
import { type Grants, grantAll, grantMore, limitAgain } from './grants.ts';
import { isLimitAsPrinted, type NamedLimit } from './limit-as-printed.ts';
import { refusedBy } from './limit-refuses.ts';
import { type ConnectedIn, connectAgain, endRuns } from './remedy-commands.ts';

/** A policy that limits an account of Poolkeeper. */
export interface LimitSeen extends NamedLimit {
  readonly name: string;
  readonly version: string | undefined;
}

/** A kind of objects that RBAC lets the account write whole, because the configuration needs a part of it. */
export interface WrittenKind {
  readonly kind: keyof typeof limitNames;
  /** For people. */
  readonly what: string;
}

/** Whether what limits our account on the cluster is there, of this version, and refuses. Policies of other
 *  installations are left to these. */
export function checkLimits(
  connected: ConnectedIn,
  {
    limits: all,
    bindings,
    writes = [],
    grants = { pools: [], argocdNamespaces: [] },
  }: {
    readonly limits: readonly LimitSeen[];
    readonly bindings: readonly BindingSeen[];
    /** What else the account writes by the configuration. */
    readonly writes?: readonly WrittenKind[];
    readonly grants?: Grants;
  },
): readonly Finding[] {
  const { cluster: about, home, file } = connected;
  const again = connectAgain(connected);
  const limits = all.filter((each) => each.home === home);
  if (limits.length === 0) return [wrong(about, 'limits: only RBAC limits the account, no policy does', again)];
  const isLimited = (kind: keyof typeof limitNames) => limits.some(({ limit }) => limit === limitNames[kind]);
  const unbounded = writes.filter(({ kind }) => !isLimited(kind));
  const findings = [
    ...(isLimited('tokens')
      ? []
      : [wrong(about, `limits: the account in ${home} may request tokens of any life and audience`, again)]),
    ...unbounded.map(({ what }) =>
      wrong(about, `limits: no policy limits what the account may write of ${what}`, grantAll(connected, grants)),
    ),
    ...(grants.letsNodesGo === true && !isLimited('nodes')
      ? [
          wrong(
            about,
            'limits: the account may write everything of nodes, because no policy limits what runs may',
            grantMore(connected, '--runs', file, '--cluster', about),
          ),
        ]
      : []),
    ...flawed(connected, limits, { bindings, grants }),
  ];
  if (findings.length > 0) return findings;
  return [ok(about, `limits: ${limits.length} policies limit the account`)];
}

interface Flaw {
  readonly limit: LimitSeen;
  readonly what: string;
  /** What mends it. */
  readonly by: 'connecting' | 'printing' | 'ending runs';
}

/** Policies that are there and do not limit what they should, or limit more. One command for all of them: several
 *  settings share a policy, and a command for one of them alone would take from it what the others need. */
function flawed(
  connected: ConnectedIn,
  limits: readonly LimitSeen[],
  { bindings, grants }: { readonly bindings: readonly BindingSeen[]; readonly grants: Grants },
): readonly Finding[] {
  const isBound = ({ name }: LimitSeen) => bindings.some((each) => each.policyName === name && refusesAll(each));
  const flaws = limits.flatMap((limit) => [
    ...contentFlaws(limit, grants),
    ...(isBound(limit)
      ? []
      : [{ limit, what: 'is bound by nothing that refuses all it matches', by: mendedBy(limit, grants) }]),
  ]);
  const isPrinted = flaws.some(({ by }) => by === 'printing');
  const remedy = isPrinted ? limitAgain(connected, grants, limits) : connectAgain(connected);
  return flaws.map(({ limit: { name }, what, by }) =>
    wrong(
      connected.cluster,
      `limits: policy ${name} ${what}`,
      by === 'ending runs' ? endRuns(connected, name) : remedy,
    ),
  );
}

function contentFlaws(limit: LimitSeen, grants: Grants): readonly Flaw[] {
  const { version } = limit;
  const by = mendedBy(limit, grants);
  if (version !== limitVersion)
    return [{ limit, what: `has version ${version ?? 'unknown'}, this is ${limitVersion}`, by }];
  if (!isLimitAsPrinted(limit)) return [{ limit, what: 'is not as this version prints it', by }];
  return refusedBy(limit, grants).map((refused) => ({
    limit,
    what: `refuses what the configuration needs: ${refused}`,
    by: 'printing',
  }));
}

/** Connecting knows nothing of levels, settings and runs. What limits runs is printed for some only. */
function mendedBy({ limit }: LimitSeen, { letsNodesGo = false, canaries }: Grants): Flaw['by'] {
  if (limit === limitNames.nodes && !letsNodesGo) return 'ending runs';
  const isConnected = limit === limitNames.pools && (canaries?.selectors ?? []).length === 0;
  return isConnected || limit === limitNames.tokens ? 'connecting' : 'printing';
}

/** Whether by the binding whatever its policy matches is refused. */
export function refusesAll({ actions, isNarrowed }: BindingSeen): boolean {
  return actions.includes('Deny') && !isNarrowed;
}
