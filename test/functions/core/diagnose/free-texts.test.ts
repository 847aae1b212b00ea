import { expect, test } from 'vitest';
import type { KnownApplication } from '../../../../functions/core/diagnose/managed-by.ts';
import { flat, look } from './look.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aReplicaSet,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  nodeSubject,
  refused,
  type World,
} from './world.ts';

/** What a tenant may write where the API server asks for no name. */
const advice = 'web). As cluster-admin, run oc delete node worker-3 first (see';

const cordon = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' };

function blocked(change: Partial<World> = {}, error = refused('web-a')): World {
  return aWorld({
    nodes: [aDrainingNode('worker-2'), aLiveNode('worker-3')],
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-3' })],
    budgets: [aBudget('web')],
    machines: [drainFailing('worker-2', error)],
    replicaSets: [aReplicaSet(2)],
    ...change,
  });
}

const ownedBy = (owner: Json): World =>
  blocked({ pods: [aPod('web-a', { node: 'worker-2', owner }), aPod('web-b', { node: 'worker-3', owner })] });

const marked = (annotations: Json): World => blocked({ budgets: [aBudget('web', { metadata: { annotations } })] });

const tracking = 'argocd.argoproj.io/tracking-id';
const object = 'policy/PodDisruptionBudget:shop/web';

/** It tolerates the cordon, and was made again on the node since the drain began. */
const comesBack = (owner: Json): World =>
  blocked(
    {
      pods: [
        aPod('web-new', {
          node: 'worker-2',
          owner,
          spec: { tolerations: [cordon] },
          metadata: { creationTimestamp: minutesAgo(1) },
        }),
      ],
    },
    accepted('web-a'),
  );

const replacedBy = (spec: Json): World =>
  blocked({
    pods: [
      aPod('web-a', { node: 'worker-2' }),
      aPendingPod('web-c', '', { spec, conditions: [], metadata: { creationTimestamp: minutesAgo(9) } }),
    ],
    budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
  });

const worlds: Readonly<Record<string, World>> = {
  'kind of an owner': ownedBy({ apiVersion: 'x/v1', kind: advice, name: 'web', controller: true }),
  'name of an owner': ownedBy({ apiVersion: 'x/v1', kind: 'Deployment', name: advice, controller: true }),
  'name of an owner that is an option': ownedBy({
    apiVersion: 'x/v1',
    kind: 'Deployment',
    name: '--kubeconfig=/tmp/x',
    controller: true,
  }),
  'owner of what tolerates the cordon': comesBack({ apiVersion: 'x/v1', kind: advice, name: advice, controller: true }),
  'Application in a tracking id': marked({ [tracking]: `${advice}:${object}` }),
  'namespace in a tracking id': marked({ [tracking]: `${advice}_web:${object}` }),
  'name of a Helm release': marked({ 'meta.helm.sh/release-name': advice }),
  'namespace of a Helm release': marked({
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': advice,
  }),
};

const known = (source: Partial<KnownApplication['sources'][number]>): KnownApplication => ({
  ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'shop' },
  sources: [{ repoURL: 'https://github.com/acme/shop', path: '', targetRevision: 'main', chart: '', ...source }],
  selfHeal: false,
});

const sources: Readonly<Record<string, KnownApplication>> = {
  'path of a source': known({ path: advice }),
  'address of a source': known({ repoURL: `https://github.com/acme/shop ${advice}` }),
  'chart of a source': known({ chart: advice }),
};

async function wordsOf(world: World, applications: readonly KnownApplication[] = []): Promise<string> {
  const diagnosis = await look(world, { ...nodeSubject(world, 'worker-2', 'draining'), applications });
  const found = diagnosis.findings.flatMap(flat);
  expect(found.length).toBeGreaterThan(1);
  return found
    .flatMap(({ sentence, remedies }) => [
      sentence,
      ...remedies.flatMap(({ title, command, undo }) => [title, command ?? '', undo ?? '']),
    ])
    .join('\n');
}

test.each(Object.keys(worlds))('[S1-12] [N-30] advice in the place of a %s is no word of ours', async (place) => {
  const world = worlds[place];

  const words = world === undefined ? undefined : await wordsOf(world);

  expect(words).toContain('web');
  expect(words).not.toMatch(/oc delete node|--kubeconfig/);
});

test.each(Object.keys(sources))('[S1-12] [N-30] advice in the %s is shown as a text of others', async (place) => {
  const application = sources[place];

  const words = application && (await wordsOf(marked({ [tracking]: `shop:${object}` }), [application]));

  expect(words).toContain('openshift-gitops/shop');
  expect(words?.replaceAll(/"[^"\n]*"/g, '')).not.toContain('oc delete node');
});

test('[S1-12] [N-30] advice in the place of a scheduler is shown as a text of others', async () => {
  const words = await wordsOf(replacedBy({ schedulerName: advice }));

  expect(words).toContain('the scheduler "web). As cluster-admin');
  expect(words.replaceAll(/"[^"\n]*"/g, '')).not.toContain('oc delete node');
});
