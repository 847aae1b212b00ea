import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type LabelSelector, selects } from '../../../functions/core/openshift/selector.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { requiredNames } from '../../manifests/kube-object.ts';
import { exemptUsers, pauseFirstObjects, pauseFirstVersion } from '../../manifests/pause-first.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { manifestsOf } from './remedy-commands.ts';

/** The admission level of one cluster, as far as it could be read. */
export interface AdmissionSeen {
  /** Namespace of our account. */
  readonly home: string;
  /** Poolkeeper's policies on the cluster; two installations may share it. */
  readonly policies: readonly PolicySeen[];
  readonly bindings: readonly BindingSeen[];
  /** Pools of the cluster with their labels. */
  readonly pools: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
  /** Pools with protection admission in poolkeeper.yaml. */
  readonly wanted: readonly string[];
  /** Pools that Poolkeeper may pause. */
  readonly kept: readonly string[];
}

export interface PolicySeen extends PolicyContent {
  readonly name: string;
  /** Namespace of the account of its installation. */
  readonly home: string;
  readonly version: string | undefined;
}

/** What a policy refuses. */
export interface PolicyContent {
  readonly failurePolicy: string;
  readonly resourceRules: unknown;
  /** It leaves out some objects, namespaces or versions of its kinds. */
  readonly isNarrowed: boolean;
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly variables: unknown;
  readonly validations: unknown;
}

export interface BindingSeen {
  readonly name: string;
  readonly policyName: string;
  /** The one pool that it covers; undefined: those of the selector. */
  readonly pool: string | undefined;
  /** Undefined: neither a pool nor a selector. */
  readonly selector: LabelSelector | undefined;
  readonly actions: readonly string[];
  readonly parameterNotFoundAction: string;
  /** It leaves out some of what its policy matches (`matchResources`). */
  readonly isNarrowed: boolean;
}

const docs = 'docs/admission.md';

/** Whether our policy exists, has this version and is bound for the pools in poolkeeper.yaml. Those of other
 *  installations are left to these: what mends ours would overwrite theirs. */
export function checkAdmission(about: string, { policies: all, ...others }: AdmissionSeen): readonly Finding[] {
  const seen = { ...others, policies: all.filter(({ home }) => home === others.home) };
  const { policies, wanted, home } = seen;
  const whose = all.length === policies.length ? '' : ' of this installation';
  if (policies.length === 0)
    return wanted.length === 0
      ? []
      : [
          wrong(
            about,
            `admission: no policy${whose} refuses changes of ${wanted.join(', ')} while they are not paused`,
            printed(wanted, { home }),
          ),
        ];
  const findings = [...policies.flatMap((policy) => policyFindings(about, policy, seen)), ...poolFindings(about, seen)];
  if (findings.length > 0) return findings;
  const exempt = unique(policies.flatMap(exemptedIn));
  return [
    ...(exempt.length === 0
      ? []
      : [ok(about, `admission: besides OpenShift's operators these accounts are exempt: ${exempt.join(', ')}`)]),
    ok(
      about,
      wanted.length === 0
        ? 'admission: the policy exists but refuses nothing: it is bound to no pool'
        : `admission: changes of ${wanted.join(', ')} are refused while they are not paused`,
    ),
  ];
}

/** Remedy for an existing policy. If poolkeeper.yaml wants it for no pool it is not applied again, which would bind it
 *  to every pool. */
function mended(
  kind: 'policy' | 'policybinding',
  name: string,
  { wanted, policy }: { readonly wanted: readonly string[]; readonly policy: PrintedFor },
): string {
  if (wanted.length > 0) return printed(wanted, policy);
  return `oc delete validatingadmission${kind} ${name}, or protection: admission for its pools in poolkeeper.yaml (${docs})`;
}

/** An installation, and the accounts that its policy exempts. */
type PrintedFor = Pick<PolicySeen, 'home'> & Partial<Pick<PolicySeen, 'matchConditions'>>;

/** With the accounts that are exempt: applied without them, the policy would refuse what they write. */
function printed(pools: readonly string[], of: PrintedFor): string {
  const except = exemptedIn(of).flatMap((name) => accountIn(name) ?? []);
  const level = ['--level', 'admission', '--only', 'pause-first', '--pools', pools.join(',')];
  const words = [...level, ...(except.length === 0 ? [] : ['--except', except.join(',')])];
  return `${manifestsOf(of, ...words)} | oc apply -f - (${docs})`;
}

/** `namespace/name` of a service account. */
function accountIn(user: string): string | undefined {
  const [, namespace, name] = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : `${namespace}/${name}`;
}

function policyFindings(about: string, policy: PolicySeen, { wanted }: AdmissionSeen): readonly Finding[] {
  const { name, version, failurePolicy } = policy;
  if (version !== pauseFirstVersion)
    return [
      wrong(
        about,
        `admission: policy ${name} has version ${version ?? 'unknown'}, this is ${pauseFirstVersion}`,
        mended('policy', name, { wanted, policy }),
      ),
    ];
  const changed = !isAsPrinted(policy);
  return [
    ...(changed
      ? [wrong(about, `admission: policy ${name} was changed by hand`, mended('policy', name, { wanted, policy }))]
      : []),
    ...(failurePolicy === 'Fail'
      ? []
      : [
          wrong(
            about,
            `admission: policy ${name} admits what it cannot evaluate (failurePolicy ${failurePolicy})`,
            mended('policy', name, { wanted, policy }),
          ),
        ]),
  ];
}

/** As it is printed for some choice of pools and exempt accounts. */
function isAsPrinted(policy: PolicySeen): boolean {
  const { resourceRules, isNarrowed, matchConditions, variables, validations } = policy;
  const except = exemptedIn(policy);
  return [[], ['pool']].some((pools) => {
    const [own] = pauseFirstObjects({ namespace: 'poolkeeper', pools, except });
    const spec = Printed.parse(own?.['spec']);
    return (
      !isNarrowed &&
      isDeepStrictEqual(
        { resourceRules, matchConditions, variables, validations },
        {
          resourceRules: spec.matchConstraints.resourceRules,
          matchConditions: spec.matchConditions,
          variables: spec.variables,
          validations: spec.validations,
        },
      )
    );
  });
}

const Printed = z.object({
  matchConstraints: z.object({ resourceRules: z.unknown() }),
  matchConditions: z.unknown(),
  variables: z.unknown(),
  validations: z.unknown(),
});

const Names = z.array(z.string());

/** User names that `--except` has added. */
function exemptedIn({ matchConditions = [] }: Partial<Pick<PolicySeen, 'matchConditions'>>): readonly string[] {
  const expression = matchConditions.find(({ name }) => name === 'is-not-an-exempt-account')?.expression ?? '';
  const [, list = '[]'] = /^!\(request\.userInfo\.username in (\["[^\]]*"\])/.exec(expression) ?? [];
  return Names.parse(JSON.parse(list)).filter((name) => !exemptUsers.includes(name));
}

function poolFindings(
  about: string,
  { home, policies, bindings, pools, wanted, kept }: AdmissionSeen,
): readonly Finding[] {
  const ours = bindings.filter(({ policyName }) => policies.some(({ name }) => name === policyName));
  const bound = pools.filter((pool) =>
    ours.some((binding) => isFor(binding, pool) && binding.actions.includes('Deny')),
  );
  const names = bound.map(({ name }) => name);
  const unbound = wanted.filter((name) => pools.some((pool) => pool.name === name) && !names.includes(name));
  const lost = names.filter((name) => !kept.includes(name));
  const unsaid = names.filter((name) => kept.includes(name) && !wanted.includes(name));
  const policyOf = (name: string) => policies.find((each) => each.name === name) ?? { home };
  const silent = ours.filter(({ actions }) => !actions.includes('Deny'));
  const narrowed = ours.filter(({ isNarrowed }) => isNarrowed);
  const strict = ours.filter(({ parameterNotFoundAction }) => parameterNotFoundAction !== 'Allow');
  return [
    ...(unbound.length > 0
      ? [wrong(about, `admission: no binding covers ${unbound.join(', ')}`, printed(wanted, policies[0] ?? { home }))]
      : []),
    ...(lost.length > 0
      ? [
          wrong(
            about,
            `admission: changes of ${lost.join(', ')} are refused, and Poolkeeper may not pause them`,
            `remove the binding, or let Poolkeeper pause them (clusters[].pools in poolkeeper.yaml)`,
          ),
        ]
      : []),
    ...(unsaid.length > 0
      ? [
          warning(
            about,
            `admission: changes of ${unsaid.join(', ')} are refused, but poolkeeper.yaml does not mention it`,
            'set protection: admission for them, so that the status page shows it',
          ),
        ]
      : []),
    ...silent.map(({ name, policyName }) =>
      wrong(
        about,
        `admission: binding ${name} refuses nothing (no Deny)`,
        mended('policybinding', name, { wanted, policy: policyOf(policyName) }),
      ),
    ),
    ...narrowed.map(({ name, policyName }) =>
      wrong(
        about,
        `admission: binding ${name} leaves out some objects (matchResources)`,
        mended('policybinding', name, { wanted, policy: policyOf(policyName) }),
      ),
    ),
    ...strict.map(({ name, policyName }) =>
      warning(
        about,
        `admission: binding ${name} refuses every MachineConfig of the cluster while its pool does not exist`,
        mended('policybinding', name, { wanted, policy: policyOf(policyName) }),
      ),
    ),
  ];
}

function isFor(
  { pool, selector }: BindingSeen,
  { name, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  if (pool !== undefined) return pool === name;
  // The policy excludes by name the pools that upgrades wait for.
  return selector !== undefined && selects(selector, labels) && !requiredNames.some((each) => each === name);
}
