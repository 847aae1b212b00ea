import { describe, expect, it } from 'vitest';
import { hostAccess, type TurnJobs } from '../../../../functions/core/configuration/turn-jobs.ts';
import { jobSpecProblems } from '../../../../functions/core/node-turns/job-spec-problems.ts';

type Data = Readonly<Record<string, unknown>>;

const nothing: TurnJobs = { hostAccess: [], serviceAccounts: [], namespaces: undefined };
const container = { name: 'mutex', image: 'ubi9/toolbox' };

function problemsOf(pod: Data, allowed: TurnJobs = nothing) {
  const spec = { selector: {}, template: { spec: { containers: [container], restartPolicy: 'Never', ...pod } } };
  return jobSpecProblems(spec, 'databases', allowed);
}

function fieldsOf(pod: Data, allowed?: TurnJobs): readonly string[] {
  return problemsOf(pod, allowed).map(({ field }) => field);
}

const secure = (securityContext: Data): Data => ({ containers: [{ ...container, securityContext }] });
const first = 'template.spec.containers[0].securityContext';

/** Each way to the node, and the field that is named. */
const ways: readonly (readonly [(typeof hostAccess)[number], Data, string])[] = [
  ['hostNetwork', { hostNetwork: true }, 'template.spec.hostNetwork'],
  ['hostPID', { hostPID: true }, 'template.spec.hostPID'],
  ['hostIPC', { hostIPC: true }, 'template.spec.hostIPC'],
  ['hostPath', { volumes: [{ emptyDir: {} }, { hostPath: { path: '/' } }] }, 'template.spec.volumes[1].hostPath'],
  [
    'hostPort',
    { containers: [{ ...container, ports: [{ hostPort: 80 }] }] },
    'template.spec.containers[0].ports[0].hostPort',
  ],
  ['privileged', secure({ privileged: true }), `${first}.privileged`],
  ['capabilities', secure({ capabilities: { add: ['CHOWN', 'SYS_ADMIN'] } }), `${first}.capabilities.add`],
  ['procMount', secure({ procMount: 'Unmasked' }), `${first}.procMount`],
  ['seLinuxOptions', secure({ seLinuxOptions: { type: 'spc_t' } }), `${first}.seLinuxOptions`],
  [
    'hostProcess',
    { securityContext: { windowsOptions: { hostProcess: true } } },
    'template.spec.securityContext.windowsOptions.hostProcess',
  ],
];

describe("the spec of a rule's Job", () => {
  it('[S4-2] as the reference writes it has no problem', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ serviceAccountName: 'default', securityContext: { runAsNonRoot: true } })).toEqual([]);
  });

  it.each(ways)('[S4-2] [S4-26] %s is refused with its field, unless it is allowed', (access, pod, field) => {
    expect(fieldsOf(pod)).toEqual([field]);
    expect(problemsOf(pod)[0]?.what).toContain(`nodeTurns.jobs.hostAccess must name ${access}`);
    expect(fieldsOf(pod, { ...nothing, hostAccess: [access] })).toEqual([]);
    expect(fieldsOf(pod, { ...nothing, hostAccess: hostAccess.filter((each) => each !== access) })).toEqual([field]);
  });

  it('[S4-2] is looked at in init and ephemeral containers too', () => {
    const privileged = { ...container, securityContext: { privileged: true } };

    expect(fieldsOf({ initContainers: [container, privileged], ephemeralContainers: [privileged] })).toEqual([
      'template.spec.initContainers[1].securityContext.privileged',
      'template.spec.ephemeralContainers[0].securityContext.privileged',
    ]);
  });

  it('[S4-26] may use the accounts that are named, in their own namespace, by either key', () => {
    const allowed = { ...nothing, serviceAccounts: ['databases/mover', 'other/root'] };

    expect(fieldsOf({ serviceAccountName: 'mover' }, allowed)).toEqual([]);
    expect(fieldsOf({ serviceAccountName: 'mover' })).toEqual(['template.spec.serviceAccountName']);
    expect(fieldsOf({ serviceAccount: 'root' }, allowed)).toEqual(['template.spec.serviceAccount']);
  });

  it('[S4-26] runs in allowed namespaces only, and its template in no other', () => {
    const spec = {
      template: { metadata: { namespace: 'kube-system' }, spec: { containers: [container], restartPolicy: 'Never' } },
    };

    expect(jobSpecProblems(spec, 'databases', nothing)).toEqual([
      { field: 'template.metadata.namespace', what: 'is not the namespace of the Job' },
    ]);
    expect(jobSpecProblems(spec, 'kube-system', { ...nothing, namespaces: ['databases'] })).toEqual([
      { field: '', what: 'would run in a namespace that nodeTurns.jobs.namespaces does not name' },
    ]);
  });

  it('[S4-2] names what is missing', () => {
    expect(jobSpecProblems({}, 'databases', nothing)).toEqual([{ field: 'template', what: 'is missing' }]);
    expect(fieldsOf({ containers: [], restartPolicy: 'Always' })).toEqual([
      'template.spec.containers',
      'template.spec.restartPolicy',
    ]);
    for (const template of [null, 'x', [], { spec: null }])
      expect(jobSpecProblems({ template }, 'databases', nothing).length).toBeGreaterThan(0);
  });

  it('[S4-2] is refused where the Job would never end, pass by the scheduler or take pods of others', () => {
    const template = { spec: { containers: [container], restartPolicy: 'Never', nodeName: 'worker-1' } };
    const spec = {
      suspend: true,
      manualSelector: true,
      selector: { matchLabels: { app: 'shop' } },
      managedBy: 'example.com/nobody',
      template,
    };

    expect(jobSpecProblems(spec, 'databases', nothing).map(({ field }) => field)).toEqual([
      'suspend',
      'manualSelector',
      'selector',
      'managedBy',
      'template.spec.nodeName',
    ]);
  });

  it('[S4-16] is refused where its own terms leave it no node', () => {
    const required = { nodeSelectorTerms: [{}] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };

    expect(fieldsOf({ affinity })).toEqual([
      'template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
    ]);
  });

  it('[S4-2] is refused whole where it is too long to be stored with every node', () => {
    expect(problemsOf({ containers: [{ ...container, args: ['x'.repeat(300_000)] }] })).toEqual([
      { field: '', what: 'is longer than 200000 characters of JSON' },
    ]);
  });
});
