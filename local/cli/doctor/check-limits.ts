import { limitNames, limitVersion } from '../../manifests/admission-limit.ts';
import type { BindingSeen } from './check-admission.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** A policy that limits an account of Poolkeeper. */
export interface LimitSeen {
  readonly name: string;
  readonly limit: string;
  /** Namespace of the account; two installations may share a cluster. */
  readonly home: string;
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

const remedy = 'npx poolkeeper connect, or apply npx poolkeeper manifests --only admission-limit';

/** Whether what limits our account on the cluster is there, of this version, and refuses. */
export function checkLimits(
  about: string,
  {
    limits,
    bindings,
    letsNodesGo = false,
    writes = [],
  }: {
    readonly limits: readonly LimitSeen[];
    readonly bindings: readonly BindingSeen[];
    /** Runs are configured for the cluster. */
    readonly letsNodesGo?: boolean;
    /** What else the account writes by the configuration. */
    readonly writes?: readonly WrittenKind[];
  },
): readonly Finding[] {
  const homes = [...new Set(limits.map(({ home }) => home))];
  if (homes.length === 0) return [wrong(about, 'limits: only RBAC limits the account, no policy does', remedy)];
  const unlimited = homes.filter(
    (home) => !limits.some((each) => each.home === home && each.limit === limitNames.tokens),
  );
  const unbounded = writes.filter(({ kind }) => !limits.some(({ limit }) => limit === limitNames[kind]));
  const isOpen = letsNodesGo && !limits.some(({ limit }) => limit === limitNames.nodes);
  const old = limits.filter(({ version }) => version !== limitVersion);
  const silent = limits.filter(
    ({ name }) => !bindings.some(({ policyName, actions }) => policyName === name && actions.includes('Deny')),
  );
  const findings = [
    ...unlimited.map((home) =>
      wrong(about, `limits: the account in ${home} may request tokens of any life and audience`, remedy),
    ),
    ...unbounded.map(({ what, flags }) =>
      wrong(
        about,
        `limits: no policy limits what the account may write of ${what}`,
        `apply npx poolkeeper manifests ${flags}--only access,admission-limit`,
      ),
    ),
    ...(isOpen
      ? [
          wrong(
            about,
            'limits: the account may write everything of nodes, because no policy limits what runs may',
            `apply npx poolkeeper manifests --runs poolkeeper.yaml --cluster ${about} --only access`,
          ),
        ]
      : []),
    ...old.map(({ name, version }) =>
      wrong(about, `limits: policy ${name} has version ${version ?? 'unknown'}, this is ${limitVersion}`, remedy),
    ),
    ...silent.map(({ name }) => wrong(about, `limits: policy ${name} is bound by nothing that refuses`, remedy)),
  ];
  if (findings.length > 0) return findings;
  return [ok(about, `limits: ${limits.length} policies limit the account`)];
}
