import { unique } from '../../../functions/core/text/unique.ts';
import { limitNames, limitVersion } from '../../manifests/admission-limit.ts';
import type { BindingSeen } from './check-admission.ts';
import { type Finding, ok, wrong } from './finding.ts';
import { isLimitAsPrinted, type NamedLimit } from './limit-as-printed.ts';

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
  /** Of `manifests`, for the policy: empty, or with a blank behind it. */
  readonly flags: string;
}

/** Not `manifests`: it does not know the pools and the audience that the policies were made for, and without them the
 *  account could not resume a pool that it holds, or not renew its token. */
function connectAgain(cluster: string, home: string | undefined): string {
  return `npx poolkeeper connect --name ${cluster}${inHome(home)}`;
}

/** In the usual namespace it would make a second account. */
function inHome(home = 'poolkeeper'): string {
  return home === 'poolkeeper' ? '' : ` --namespace ${home}`;
}

/** Whether what limits our account on the cluster is there, of this version, and refuses. */
export function checkLimits(
  about: string,
  {
    limits,
    bindings,
    letsNodesGo = false,
    writes = [],
    pools = [],
  }: {
    readonly limits: readonly LimitSeen[];
    readonly bindings: readonly BindingSeen[];
    /** Runs are configured for the cluster. */
    readonly letsNodesGo?: boolean;
    /** What else the account writes by the configuration. */
    readonly writes?: readonly WrittenKind[];
    /** What it may pause by the configuration. */
    readonly pools?: readonly string[];
  },
): readonly Finding[] {
  const homes = unique(limits.map(({ home }) => home));
  if (homes.length === 0)
    return [wrong(about, 'limits: only RBAC limits the account, no policy does', connectAgain(about, undefined))];
  const [only] = homes.length === 1 ? homes : [];
  const unlimited = homes.filter(
    (home) => !limits.some((each) => each.home === home && each.limit === limitNames.tokens),
  );
  const unbounded = writes.filter(({ kind }) => !limits.some(({ limit }) => limit === limitNames[kind]));
  const isOpen = letsNodesGo && !limits.some(({ limit }) => limit === limitNames.nodes);
  const old = limits.filter(({ version }) => version !== limitVersion);
  const changed = limits.filter((each) => !old.includes(each) && !isLimitAsPrinted(each));
  const silent = limits.filter(({ name }) => !bindings.some((each) => each.policyName === name && refusesAll(each)));
  const ofPools = pools.length === 0 ? '' : `--pools ${pools.join(',')} `;
  const findings = [
    ...unlimited.map((home) =>
      wrong(
        about,
        `limits: the account in ${home} may request tokens of any life and audience`,
        connectAgain(about, home),
      ),
    ),
    ...unbounded.map(({ what, flags }) =>
      wrong(
        about,
        `limits: no policy limits what the account may write of ${what}`,
        `apply npx poolkeeper manifests ${flags}${ofPools}--only access,admission-limit${inHome(only)}, then ${connectAgain(about, only)} for its audience`,
      ),
    ),
    ...(isOpen
      ? [
          wrong(
            about,
            'limits: the account may write everything of nodes, because no policy limits what runs may',
            `apply npx poolkeeper manifests --runs poolkeeper.yaml --cluster ${about} ${ofPools}--only access${inHome(only)}`,
          ),
        ]
      : []),
    ...old.map(({ name, home, version }) =>
      wrong(
        about,
        `limits: policy ${name} has version ${version ?? 'unknown'}, this is ${limitVersion}`,
        connectAgain(about, home),
      ),
    ),
    ...changed.map(({ name, home }) =>
      wrong(about, `limits: policy ${name} is not as this version prints it`, connectAgain(about, home)),
    ),
    ...silent.map(({ name, home }) =>
      wrong(about, `limits: policy ${name} is bound by nothing that refuses all it matches`, connectAgain(about, home)),
    ),
  ];
  if (findings.length > 0) return findings;
  return [ok(about, `limits: ${limits.length} policies limit the account`)];
}

/** Whether by the binding whatever its policy matches is refused. */
export function refusesAll({ actions, isNarrowed }: BindingSeen): boolean {
  return actions.includes('Deny') && !isNarrowed;
}
