import { expect, test } from 'vitest';
import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import * as questions from '../../../functions/core/diagnose/questions.ts';
import type { Asked } from '../../../functions/core/findings/unread.ts';
import { breakGlassQuestions, readBreakGlass } from '../../../functions/core/judge/break-glass.ts';
import { mcoClusterOperatorPath } from '../../../functions/core/openshift/machine-config-operator.ts';
import { operatorParts } from '../../../functions/core/openshift/operator-parts.ts';
import { readVersionUpdate } from '../../../functions/core/openshift/version-update.ts';
import { forSharing } from '../../../local/snapshot/for-sharing.ts';
import { fieldsReadBy, sampleOf, valueAt } from './fields-read-by.ts';

type Asking = {
  [Name in keyof typeof questions]: (typeof questions)[Name] extends (...given: never[]) => Asked<unknown>
    ? Name
    : never;
}[keyof typeof questions];

const owner = (kind: string) => ({ kind, name: 'x' });

/** Each question that a diagnosis may ask, by the function that makes it. */
const asked = {
  allBudgets: [questions.allBudgets()],
  budgetsOf: [questions.budgetsOf('shop')],
  candidateNodes: [questions.candidateNodes({})],
  certificateRequests: [questions.certificateRequests()],
  clusterOperator: [questions.clusterOperator('network')],
  configDaemonOn: [questions.configDaemonOn('worker-1')],
  configDaemons: [questions.configDaemons()],
  controllerConfig: [questions.controllerConfig()],
  endpointsOf: [questions.endpointsOf('shop', 'web')],
  eventsAboutPod: [questions.eventsAboutPod({ namespace: 'shop', name: 'web' })],
  imageBuild: [questions.imageBuild('x')],
  imageBuilder: [questions.imageBuilder()],
  machineConfigHead: [questions.machineConfigHead('x')],
  machineConfigHeads: [questions.machineConfigHeads()],
  machineConfigNode: [questions.machineConfigNode('worker-1')],
  machineNamed: [questions.machineNamed('openshift-machine-api', 'x')],
  machineSets: [questions.machineSets()],
  machinesOf: [questions.machinesOf('x')],
  namespaceNamed: [questions.namespaceNamed('shop')],
  nodeNamed: [questions.nodeNamed('worker-1')],
  // A table is kept as it is; a server that knows none answers with nodes.
  nodeStatuses: [questions.nodeStatuses({})],
  operatorPods: [questions.operatorPods()],
  podNamed: [questions.podNamed('shop', 'web')],
  podsOn: [questions.podsOn('worker-1')],
  podsSelected: [questions.podsSelected('shop', {})],
  replicaOwner: ['ReplicaSet', 'StatefulSet', 'Deployment'].map((kind) => questions.replicaOwner('shop', owner(kind))),
  tuningConfigs: [questions.tuningConfigs('kubeletconfigs'), questions.tuningConfigs('containerruntimeconfigs')],
  virtualMachine: [questions.virtualMachine('shop', 'vm')],
  warningsAbout: [questions.warningsAbout(owner('Pod'), 'shop')],
  webhooks: [questions.webhooks('validating'), questions.webhooks('mutating')],
  workloadHead: [questions.workloadHead('shop', owner('Deployment'))],
} satisfies Record<Asking, readonly Asked<unknown>[]>;

const ofDiagnoses = Object.entries(asked).flatMap(([name, all]) =>
  all.map(({ question, shape }) => ({ name, path: question.path, read: (body: unknown) => shape.safeParse(body) })),
);

const group = '/apis/machineconfiguration.openshift.io/v1';
const ofPasses = [
  ...operatorParts.map(({ name, path, read }) => ({ name, path, read })),
  {
    name: 'the update of the cluster',
    path: '/apis/config.openshift.io/v1/clusterversions/version',
    read: (body: unknown) => readVersionUpdate(body, undefined),
  },
  {
    name: 'how far the update has come',
    path: mcoClusterOperatorPath,
    read: (body: unknown) => readVersionUpdate({ status: { desired: { version: '4.19.3' } } }, body),
  },
  { name: 'a pool', path: `${group}/machineconfigpools/worker`, read: unlessInvalid(poolOf) },
  ...breakGlassQuestions.map(({ path }) => ({
    name: 'exemptions',
    path,
    read: (body: unknown) => readBreakGlass([{ kind: 'found', body, readAt: new Date(0) }]),
  })),
];

/** Of tables: the columns. */
const ofTables = /^(?:kind|columnDefinitions|rows)\b/;

test.each([...ofDiagnoses, ...ofPasses])('[N-23] all that is read of $path ($name) is recorded', ({ path, read }) => {
  const fields = fieldsReadBy(read).filter((field) => !ofTables.test(field));

  const recorded = forSharing(path, sampleOf(fields));

  expect(fields.length).toBeGreaterThan(1);
  expect(fields.filter((field) => valueAt(recorded, field) === undefined)).toEqual([]);
});

test('[N-23] the fields that something reads are found: in lists, in what may be absent, behind what is refused', () => {
  const fields = fieldsReadBy((body) => readVersionUpdate(body, undefined));

  expect(fields).toEqual(expect.arrayContaining(['status.desired.version', 'status.history.0.startedTime']));
});

test('[N-23] of what was applied to a pool its pause is recorded, and nothing else', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const shared = (kind: string, applied: unknown) =>
    forSharing(`${group}/${kind}/x`, {
      metadata: { name: 'x', annotations: { [annotation]: JSON.stringify(applied) } },
    });
  const pause = { [annotation]: '{"spec":{"paused":true}}' };

  expect(shared('machineconfigpools', { spec: { paused: true, secret: 'x' } })).toMatchObject({
    metadata: { annotations: pause },
  });
  expect(shared('machineconfigpools', { spec: { paused: false } })).toEqual({
    metadata: { name: 'x', annotations: {} },
  });
  expect(shared('kubeletconfigs', { spec: { paused: true } })).toEqual({ metadata: { name: 'x', annotations: {} } });
});

test('[S1-18] the version of a cluster is recorded without what is nobody else’s business', () => {
  const image = `quay.io/openshift-release-dev/ocp-release@sha256:${'0123456789abcdef'.repeat(4)}`;
  const history = [{ state: 'Partial', version: '4.19.3', image, startedTime: '2026-03-02T09:10:00Z' }];
  const desired = { version: '4.19.3', image, url: 'https://someone:secret@example.com/errata' };

  const shared = forSharing('/apis/config.openshift.io/v1/clusterversions/version', {
    metadata: { name: 'version' },
    spec: { clusterID: 'x', upstream: 'https://example.com' },
    status: { desired, history, availableUpdates: [{ version: '4.19.4' }] },
  });

  expect(shared).toMatchObject({ status: { history, desired: { version: '4.19.3', image } } });
  expect(JSON.stringify(shared)).not.toMatch(/secret|clusterID|upstream|availableUpdates/);
});

function unlessInvalid(read: (body: unknown) => unknown): (body: unknown) => unknown {
  return (body) => {
    try {
      return read(body);
    } catch {
      return undefined;
    }
  };
}
