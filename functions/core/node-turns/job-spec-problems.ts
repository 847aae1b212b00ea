import type { HostAccess, TurnJobs } from '../configuration/turn-jobs.ts';
import { listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';
import { isEmptyTerm } from './turn-job.ts';

/** One thing that is wrong with the spec of a Job. */
export interface JobProblem {
  /** `template.spec.containers[0].image`, below jobSpec. */
  readonly field: string;
  /** Completes "<field> ...". */
  readonly what: string;
}

/** Characters of a spec in JSON: it is stored in etcd with each Job. */
const specAtMost = 200_000;

/** What is refused of a Job's spec before the API server is asked. */
export function jobSpecProblems(
  spec: Readonly<Record<string, unknown>>,
  namespace: string,
  allowed: TurnJobs,
): readonly JobProblem[] {
  if (JSON.stringify(spec).length > specAtMost)
    return [{ field: '', what: `is longer than ${specAtMost} characters of JSON` }];
  const template = memberOf(spec, 'template');
  if (template === undefined) return [...namespaceProblems(namespace, allowed), missing('template')];
  return [
    ...namespaceProblems(namespace, allowed),
    ...specProblems(spec),
    ...metadataProblems(template, namespace),
    ...podProblems(mappingAt(template, 'spec'), namespace, allowed),
  ];
}

function missing(field: string): JobProblem {
  return { field, what: 'is missing' };
}

function namespaceProblems(namespace: string, { namespaces }: TurnJobs): readonly JobProblem[] {
  if (namespaces === undefined || namespaces.includes(namespace)) return [];
  return [{ field: '', what: 'would run in a namespace that nodeTurns.jobs.namespaces does not name' }];
}

function specProblems(spec: Readonly<Record<string, unknown>>): readonly JobProblem[] {
  const managedBy = textAt(spec, 'managedBy');
  const found: readonly (JobProblem | false)[] = [
    memberOf(spec, 'suspend') === true && { field: 'suspend', what: 'must not be true: the Job would never end' },
    memberOf(spec, 'manualSelector') === true && {
      field: 'manualSelector',
      what: 'must not be true: the Job could take over, and delete, pods of others',
    },
    Object.keys(mappingAt(spec, 'selector')).length > 0 && {
      field: 'selector',
      what: 'must be empty or left out: the API server gives each Job its own',
    },
    managedBy !== undefined &&
      managedBy !== 'kubernetes.io/job-controller' && {
        field: 'managedBy',
        what: 'names another controller than that of Kubernetes, which would not run it',
      },
  ];
  return found.filter((each) => each !== false);
}

function metadataProblems(template: unknown, namespace: string): readonly JobProblem[] {
  const written = textAt(memberOf(template, 'metadata'), 'namespace');
  if (written === undefined || written === namespace) return [];
  return [{ field: 'template.metadata.namespace', what: 'is not the namespace of the Job' }];
}

const pod = 'template.spec';

function podProblems(
  spec: Readonly<Record<string, unknown>>,
  namespace: string,
  allowed: TurnJobs,
): readonly JobProblem[] {
  const may = (access: HostAccess) => allowed.hostAccess.includes(access);
  const restartPolicy = textAt(spec, 'restartPolicy');
  const containers = containersOf(spec);
  return [
    ...(listAt(spec, 'containers').length === 0 ? [missing(`${pod}.containers`)] : []),
    ...(restartPolicy === 'Never' || restartPolicy === 'OnFailure'
      ? []
      : [{ field: `${pod}.restartPolicy`, what: 'must be Never or OnFailure' }]),
    ...(memberOf(spec, 'nodeName') === undefined
      ? []
      : [
          {
            field: `${pod}.nodeName`,
            what: 'must be left out: it passes by the scheduler, and may be the node itself',
          },
        ]),
    ...accountProblems(spec, namespace, allowed),
    ...hostFlags.flatMap((flag) =>
      memberOf(spec, flag) === true && !may(flag) ? [refused(`${pod}.${flag}`, flag)] : [],
    ),
    ...contextProblems(mappingAt(spec, 'securityContext'), `${pod}.securityContext`, may),
    ...listAt(spec, 'volumes').flatMap((volume, index) =>
      memberOf(volume, 'hostPath') === undefined || may('hostPath')
        ? []
        : [refused(`${pod}.volumes[${index}].hostPath`, 'hostPath')],
    ),
    ...containers.flatMap(({ field, container }) => containerProblems(field, container, may)),
    ...termProblems(spec),
  ];
}

const hostFlags = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

function refused(field: string, access: HostAccess): JobProblem {
  return { field, what: `reaches the node itself; nodeTurns.jobs.hostAccess must name ${access} to allow that` };
}

function accountProblems(
  spec: Readonly<Record<string, unknown>>,
  namespace: string,
  { serviceAccounts }: TurnJobs,
): readonly JobProblem[] {
  return ['serviceAccountName', 'serviceAccount'].flatMap((key) => {
    const account = memberOf(spec, key);
    if (account === undefined || account === '' || account === 'default') return [];
    if (serviceAccounts.includes(`${namespace}/${String(account)}`)) return [];
    const what = 'is an account that nodeTurns.jobs.serviceAccounts does not name with the namespace of the Job';
    return [{ field: `${pod}.${key}`, what }];
  });
}

interface FoundContainer {
  /** `template.spec.containers[0]` */
  readonly field: string;
  readonly container: unknown;
}

function containersOf(spec: Readonly<Record<string, unknown>>): readonly FoundContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) =>
    listAt(spec, key).map((container, index) => ({ field: `${pod}.${key}[${index}]`, container })),
  );
}

type May = (access: HostAccess) => boolean;

/** Types that the baseline of the Pod Security Standards knows: `spc_t` is not confined at all. */
const confined: ReadonlySet<unknown> = new Set([
  undefined,
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);

/** What a pod and its containers say in the same words. */
function contextProblems(context: unknown, field: string, may: May): readonly JobProblem[] {
  const isHostProcess = memberOf(mappingAt(context, 'windowsOptions'), 'hostProcess') === true;
  const seLinux = mappingAt(context, 'seLinuxOptions');
  const isOther = !confined.has(seLinux['type']) || ['user', 'role'].some((key) => (seLinux[key] ?? '') !== '');
  return [
    ...(isHostProcess && !may('hostProcess') ? [refused(`${field}.windowsOptions.hostProcess`, 'hostProcess')] : []),
    ...(isOther && !may('seLinuxOptions') ? [refused(`${field}.seLinuxOptions`, 'seLinuxOptions')] : []),
  ];
}

/** What the baseline of the Pod Security Standards lets containers add. */
const harmless: ReadonlySet<unknown> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

function containerProblems(field: string, container: unknown, may: May): readonly JobProblem[] {
  const context = mappingAt(container, 'securityContext');
  const at = `${field}.securityContext`;
  const adds = listAt(mappingAt(context, 'capabilities'), 'add').some((each) => !harmless.has(each));
  const procMount = memberOf(context, 'procMount');
  return [
    ...(memberOf(context, 'privileged') === true && !may('privileged')
      ? [refused(`${at}.privileged`, 'privileged')]
      : []),
    ...(adds && !may('capabilities') ? [refused(`${at}.capabilities.add`, 'capabilities')] : []),
    ...(procMount !== undefined && procMount !== 'Default' && !may('procMount')
      ? [refused(`${at}.procMount`, 'procMount')]
      : []),
    ...contextProblems(context, at, may),
    ...listAt(container, 'ports').flatMap((port, index) => {
      const host = memberOf(port, 'hostPort');
      return host === undefined || host === 0 || may('hostPort')
        ? []
        : [refused(`${field}.ports[${index}].hostPort`, 'hostPort')];
    }),
  ];
}

/** A Job whose terms are all empty matches no node. */
function termProblems(spec: Readonly<Record<string, unknown>>): readonly JobProblem[] {
  const key = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = listAt(mappingAt(mappingAt(mappingAt(spec, 'affinity'), 'nodeAffinity'), key), 'nodeSelectorTerms');
  if (terms.length === 0 || !terms.every(isEmptyTerm)) return [];
  return [
    {
      field: `${pod}.affinity.nodeAffinity.${key}.nodeSelectorTerms`,
      what: 'has no term with a requirement, so that no node would do',
    },
  ];
}
