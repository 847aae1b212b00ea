import { expect, test } from 'vitest';
import * as questions from '../../functions/core/diagnose/questions.ts';
import { accessObjects } from '../../local/manifests/access.ts';
import type { Rule } from '../../local/manifests/rule.ts';

/** A read as the API server's authorizer sees it. */
interface Read {
  readonly group: string;
  readonly resource: string;
  readonly verb: 'get' | 'list';
}

const owners = ['ReplicaSet', 'StatefulSet', 'Deployment'].map((kind) => ({ kind, name: 'x' }));

type Maker = {
  [Name in keyof typeof questions]: (typeof questions)[Name] extends (...given: never[]) => unknown ? Name : never;
}[keyof typeof questions];

/** Every question once, with all it may ask for. The type demands a new one here too. */
const asked: Readonly<Record<Maker, readonly { readonly question: { readonly path: string } }[]>> = {
  machineConfigNode: [questions.machineConfigNode('x')],
  warningsAbout: [questions.warningsAbout({ kind: 'Node', name: 'x' }, 'x')],
  eventsAboutPod: [questions.eventsAboutPod({ namespace: 'x', name: 'x' })],
  podsOn: [questions.podsOn('x')],
  podNamed: [questions.podNamed('x', 'x')],
  podsSelected: [questions.podsSelected('x', {})],
  budgetsOf: [questions.budgetsOf('x')],
  allBudgets: [questions.allBudgets()],
  nodeNamed: [questions.nodeNamed('x')],
  candidateNodes: [questions.candidateNodes({})],
  nodeStatuses: [questions.nodeStatuses({})],
  configDaemonOn: [questions.configDaemonOn('x')],
  operatorPods: [questions.operatorPods()],
  configDaemons: [questions.configDaemons()],
  replicaOwner: [...owners.slice(0, 2).map((owner) => questions.replicaOwner('x', owner))],
  workloadHead: [...owners.map((owner) => questions.workloadHead('x', owner))],
  machineConfigHeads: [questions.machineConfigHeads()],
  machineConfigHead: [questions.machineConfigHead('x')],
  tuningConfigs: [questions.tuningConfigs('kubeletconfigs'), questions.tuningConfigs('containerruntimeconfigs')],
  controllerConfig: [questions.controllerConfig()],
  clusterOperator: [questions.clusterOperator('x')],
  certificateRequests: [questions.certificateRequests()],
  imageBuild: [questions.imageBuild('x')],
  imageBuilder: [questions.imageBuilder()],
  machineNamed: [questions.machineNamed('x', 'x')],
  machineSets: [questions.machineSets()],
  machinesOf: [questions.machinesOf('x')],
  namespaceNamed: [questions.namespaceNamed('x')],
  virtualMachine: [questions.virtualMachine('x', 'x')],
  webhooks: [questions.webhooks('validating'), questions.webhooks('mutating')],
  endpointsOf: [questions.endpointsOf('x', 'x')],
};

function readOf(path: string): Read {
  const [, group = '', rest = ''] = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(.*)$/.exec(path) ?? [];
  const parts = rest.split('/');
  const own = parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts;
  return { group, resource: own[0] ?? '', verb: own.length > 1 ? 'get' : 'list' };
}

test('[S1-3] every read that a diagnosis may make is granted by what `poolkeeper manifests` prints', () => {
  const objects = accessObjects({
    account: { namespace: 'poolkeeper', name: 'poolkeeper' },
    pauses: false,
    pools: [],
    argocdNamespaces: [],
  });
  const rules = objects.flatMap((each): readonly Rule[] =>
    each.kind === 'ClusterRole' && Array.isArray(each['rules']) ? each['rules'] : [],
  );

  const refused = Object.values(asked)
    .flat()
    .map(({ question }) => readOf(question.path))
    .filter(
      ({ group, resource, verb }) =>
        !rules.some(
          (rule) =>
            rule.apiGroups.includes(group) &&
            rule.resources.includes(resource) &&
            rule.verbs.includes(verb) &&
            rule.resourceNames === undefined,
        ),
    );

  expect(refused).toEqual([]);
});
