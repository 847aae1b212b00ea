import { limitNames, limitVersion } from '../../manifests/admission-limit.ts';
import type { BindingSeen } from './check-admission.ts';
import { type Finding, ok, wrong } from './finding.ts';
import { type Grants, grantAll, grantMore } from './grants.ts';
import { isLimitAsPrinted, type NamedLimit } from './limit-as-printed.ts';
import { type ConnectedIn, connectAgain } from './remedy-commands.ts';

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
  // Not `manifests`: it does not know the pools and the audience that the policies were made for, and without them the
  // account could not resume a pool that it holds, or not renew its token.
  const again = connectAgain(connected);
  const limits = all.filter((each) => each.home === home);
  if (limits.length === 0) return [wrong(about, 'limits: only RBAC limits the account, no policy does', again)];
  const isLimited = (kind: keyof typeof limitNames) => limits.some(({ limit }) => limit === limitNames[kind]);
  const unbounded = writes.filter(({ kind }) => !isLimited(kind));
  const old = limits.filter(({ version }) => version !== limitVersion);
  const changed = limits.filter((each) => !old.includes(each) && !isLimitAsPrinted(each));
  const silent = limits.filter(({ name }) => !bindings.some((each) => each.policyName === name && refusesAll(each)));
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
    ...old.map(({ name, version }) =>
      wrong(about, `limits: policy ${name} has version ${version ?? 'unknown'}, this is ${limitVersion}`, again),
    ),
    ...changed.map(({ name }) => wrong(about, `limits: policy ${name} is not as this version prints it`, again)),
    ...silent.map(({ name }) =>
      wrong(about, `limits: policy ${name} is bound by nothing that refuses all it matches`, again),
    ),
  ];
  if (findings.length > 0) return findings;
  return [ok(about, `limits: ${limits.length} policies limit the account`)];
}

/** Whether by the binding whatever its policy matches is refused. */
export function refusesAll({ actions, isNarrowed }: BindingSeen): boolean {
  return actions.includes('Deny') && !isNarrowed;
}
