import { beforeAll, describe, expect, test } from 'vitest';
import type { Draft } from '../cluster/harness/kube.ts';
import { pool } from '../cluster/harness/objects.ts';
import type { Answer } from './policed-store.ts';

/** Somebody with the name of our account and every right: nothing but the policies limits them. */
export interface LimitLab {
  create(object: Draft): Promise<Answer>;
  patch(object: Draft, change: unknown, subResource?: string): Promise<Answer>;
  delete(object: Draft): Promise<Answer>;
  /** A TokenRequest with this spec. */
  mint(serviceAccount: Draft, spec: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** As an administrator, whom no policy limits. */
  place(object: Draft): Promise<void>;
}

/** Namespace of our account, whose name is `poolkeeper`. The policies are those for every pool that no upgrade waits
 *  for, with restarts of syncs, guards and pauses of health checks, and tokens of 24 h. */
export const home = 'poolkeeper-limits';

const required = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
const ours = pool({ name: 'limits-ours', maxUnavailable: 1, annotations: { 'example.com/owner': 'team' } });
const needed = pool({ name: 'limits-needed', labels: required });

const failedSync = { revision: '1'.repeat(40), resources: [{ kind: 'MachineConfig', name: '99-a' }] };

function application(name: string, more: Readonly<Record<string, unknown>> = {}): Draft {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: home },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/acme/infra', path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
    status: {
      operationState: {
        phase: 'Failed',
        startedAt: '2026-11-22T09:00:00Z',
        operation: { sync: failedSync, initiatedBy: { username: 'ada' } },
      },
    },
    ...more,
  };
}

const repeated = {
  sync: failedSync,
  initiatedBy: { username: 'poolkeeper' },
  info: [{ name: 'Reason', value: 'refused' }],
  retry: { limit: 5, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
};
const failed = application('failed');
const refused = application('refused');
const succeeded = application('succeeded', {
  status: {
    operationState: {
      phase: 'Succeeded',
      startedAt: '2026-11-22T09:00:00Z',
      operation: { sync: failedSync },
    },
  },
});
const fresh = application('fresh', { status: {} });
const queued = application('queued', { operation: { sync: failedSync } });

const healthCheck: Draft = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'MachineHealthCheck',
  metadata: { name: 'limits', namespace: home, annotations: { 'example.com/owner': 'team' } },
  spec: {
    selector: { matchLabels: { role: 'worker' } },
    unhealthyConditions: [{ type: 'Ready', status: 'False', timeout: '300s' }],
    maxUnhealthy: '40%',
  },
};
const paused = 'cluster.x-k8s.io/paused';

function serviceAccount(name: string): Draft {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: home } };
}
const account = serviceAccount('poolkeeper');
const other = serviceAccount('other');
const holder: Draft = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'holder', namespace: home },
  spec: { serviceAccountName: 'poolkeeper', containers: [{ name: 'main', image: 'registry.example.com/main' }] },
};

const annotated = (annotations: Readonly<Record<string, string | null>>) => ({ metadata: { annotations } });
const onlyPauses = 'does not create or delete them or write their status';
const owner = { apiVersion: 'v1', kind: 'Node', name: 'gone', uid: '0f5c1f0e-5a4e-4c0d-9f5e-000000000003' };

/** What the policies let our account do, to be kept by their expressions under an evaluator and on a real API server.
 *  Undefined: it is taken. Otherwise the words of the refusal. */
export function limitContract(name: string, makeLab: () => Promise<LimitLab>): void {
  describe(`limits of our account: ${name}`, () => {
    let lab: LimitLab;

    beforeAll(async () => {
      lab = await makeLab();
      for (const each of [ours, needed, failed, refused, succeeded, fresh, queued, healthCheck, account, other, holder])
        await lab.place(each);
    });

    function expectAnswer(answer: Answer, words: string | undefined): void {
      if (words === undefined) expect(answer).toBeUndefined();
      else expect(answer).toContain(words);
    }

    describe('pools', () => {
      test.each<[string, unknown, string | undefined]>([
        [
          'pauses, with its own annotation',
          { spec: { paused: true }, ...annotated({ 'poolkeeper.dev/note': 'x' }) },
          undefined,
        ],
        [
          'resumes, by removing the field',
          { spec: { paused: null }, ...annotated({ 'poolkeeper.dev/note': null }) },
          undefined,
        ],
        ['another field', { spec: { maxUnavailable: 5 } }, 'may change only spec.paused'],
        ['a field taken away', { spec: { maxUnavailable: null } }, 'may change only spec.paused'],
        [
          'a pause that covers another field',
          { spec: { paused: true, nodeSelector: { matchLabels: { a: 'b' } } } },
          'may change only spec.paused',
        ],
        [
          'the selector',
          { spec: { machineConfigSelector: { matchLabels: { a: 'b' } } } },
          'may change only spec.paused',
        ],
        [
          "somebody's annotation",
          annotated({ 'example.com/note': 'x' }),
          'annotations that begin with poolkeeper.dev/',
        ],
        [
          "somebody's annotation taken away",
          annotated({ 'example.com/owner': null }),
          'annotations that begin with poolkeeper.dev/',
        ],
        [
          'all annotations taken away',
          { metadata: { annotations: null } },
          'annotations that begin with poolkeeper.dev/',
        ],
        [
          'an annotation that only begins alike',
          annotated({ 'poolkeeper.development/note': 'x' }),
          'annotations that begin with poolkeeper.dev/',
        ],
        [
          'an annotation of the operator',
          annotated({ 'machineconfiguration.openshift.io/note': 'x' }),
          'annotations that begin with poolkeeper.dev/',
        ],
        ['a label', { metadata: { labels: { extra: 'x' } } }, 'labels, finalizers or owners'],
        ['a finalizer', { metadata: { finalizers: ['example.com/stay'] } }, 'labels, finalizers or owners'],
        ['an owner', { metadata: { ownerReferences: [owner] } }, 'labels, finalizers or owners'],
      ])('[C-11] [S0-18] %s', async (_what, change, words) => {
        expectAnswer(await lab.patch(ours, change), words);
      });

      test('[C-11] [S0-18] one that upgrades wait for is not paused, also not by taking that label away', async () => {
        expectAnswer(await lab.patch(needed, { spec: { paused: true } }), 'cluster upgrades wait for this pool');
        const [label = ''] = Object.keys(required);
        const stripped = { spec: { paused: true }, metadata: { labels: { [label]: null } } };
        expectAnswer(await lab.patch(needed, stripped), 'Poolkeeper may not change labels');
      });

      test('[C-11] [S0-18] none is made, deleted, or given a status', async () => {
        expectAnswer(await lab.create(pool({ name: 'limits-new' })), onlyPauses);
        expectAnswer(await lab.delete(ours), onlyPauses);
        expectAnswer(await lab.patch(ours, { status: { machineCount: 7 } }, 'status'), onlyPauses);
      });
    });

    describe('Applications', () => {
      test.each<[string, Draft, unknown, string | undefined]>([
        ['the sync that failed, as it was', refused, { operation: repeated }, undefined],
        [
          'another commit',
          failed,
          { operation: { ...repeated, sync: { ...failedSync, revision: 'main' } } },
          'repeats the sync that failed last',
        ],
        [
          'manifests of its own, which Argo CD would apply',
          failed,
          { operation: { ...repeated, sync: { ...failedSync, manifests: ['{"kind":"ClusterRoleBinding"}'] } } },
          'repeats the sync that failed last',
        ],
        [
          'another repository',
          failed,
          {
            operation: {
              ...repeated,
              sync: { ...failedSync, source: { repoURL: 'https://git.example.com/evil', path: '.' } },
            },
          },
          'repeats the sync that failed last',
        ],
        [
          'pruning',
          failed,
          { operation: { ...repeated, sync: { ...failedSync, prune: true } } },
          'repeats the sync that failed last',
        ],
        ['an empty operation', failed, { operation: {} }, 'repeats the sync that failed last'],
        ['a sync that did not fail', succeeded, { operation: repeated }, 'repeats the sync that failed last'],
        ['a first sync', fresh, { operation: repeated }, 'repeats the sync that failed last'],
        ['a second one, over the one that waits', queued, { operation: repeated }, 'is queued or running'],
        [
          "somebody else's name",
          failed,
          { operation: { ...repeated, initiatedBy: { username: 'ada' } } },
          'in its own name',
        ],
        [
          'automation',
          failed,
          { operation: { ...repeated, initiatedBy: { username: 'poolkeeper', automated: true } } },
          'in its own name',
        ],
        [
          'the state that it repeats',
          failed,
          { status: { operationState: { operation: { sync: { revision: 'main' } } } } },
          'only operation of an Application',
        ],
        ['the source', failed, { spec: { source: { targetRevision: 'other' } } }, 'only operation of an Application'],
        ['a refresh', failed, annotated({ 'argocd.argoproj.io/refresh': 'normal' }), undefined],
        [
          'a hard refresh',
          failed,
          annotated({ 'argocd.argoproj.io/refresh': 'hard' }),
          'labels, annotations, finalizers or owners',
        ],
        [
          'a finalizer',
          failed,
          { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } },
          'labels, annotations, finalizers or owners',
        ],
      ])('[C-11] [N-27] %s', async (_what, object, change, words) => {
        expectAnswer(await lab.patch(object, change), words);
      });

      test('[C-11] [N-27] none is made or deleted', async () => {
        expectAnswer(await lab.create(application('new')), 'does not create or delete Applications');
        expectAnswer(await lab.delete(failed), 'does not create or delete Applications');
      });
    });

    describe('MachineHealthChecks', () => {
      test.each<[string, unknown, string | undefined]>([
        ['paused', annotated({ [paused]: 'poolkeeper', 'poolkeeper.dev/note': 'x' }), undefined],
        ['resumed', annotated({ [paused]: null, 'poolkeeper.dev/note': null }), undefined],
        ["somebody's annotation taken away", annotated({ 'example.com/owner': null }), 'but no others'],
        ['its limit', { spec: { maxUnhealthy: '100%' } }, 'only annotations of a MachineHealthCheck'],
        ['a label', { metadata: { labels: { a: 'b' } } }, 'labels, finalizers or owners'],
        ['a finalizer', { metadata: { finalizers: ['example.com/stay'] } }, 'labels, finalizers or owners'],
      ])('[C-11] [S3-13] %s', async (_what, change, words) => {
        expectAnswer(await lab.patch(healthCheck, change), words);
      });

      test('[C-11] [S3-13] none is deleted or given a status', async () => {
        expectAnswer(await lab.delete(healthCheck), 'does not create or delete them');
        expectAnswer(
          await lab.patch(healthCheck, { status: { currentHealthy: 7 } }, 'status'),
          'does not create or delete them',
        );
      });
    });

    describe('tokens', () => {
      const hour = 3600;
      const pod = { apiVersion: 'v1', kind: 'Pod', name: 'holder' };

      test.each<[string, Draft, Readonly<Record<string, unknown>>, string | undefined]>([
        ['the configured hours', account, { expirationSeconds: 24 * hour }, undefined],
        [
          "fewer, for the API server's own audience",
          account,
          { expirationSeconds: hour, audiences: ['https://kubernetes.default.svc'] },
          undefined,
        ],
        ['a second more', account, { expirationSeconds: 24 * hour + 1 }, 'lives at most 24 h'],
        ['a year', account, { expirationSeconds: 365 * 24 * hour }, 'lives at most 24 h'],
        // The API server makes a year of 3607 s if a pod holds the token.
        [
          'an hour that a pod extends to a year',
          account,
          { expirationSeconds: 3607, boundObjectRef: pod },
          'is not bound to another object',
        ],
        [
          'an audience elsewhere',
          account,
          { expirationSeconds: hour, audiences: ['sts.amazonaws.com'] },
          'for the API server only',
        ],
        [
          'a second audience',
          account,
          { expirationSeconds: hour, audiences: ['https://kubernetes.default.svc', 'vault'] },
          'for the API server only',
        ],
        ['of another account', other, { expirationSeconds: hour }, 'tokens of its own account'],
      ])('[C-11] [C-13] %s', async (_what, of, spec, words) => {
        expectAnswer(await lab.mint(of, spec), words);
      });

      test('[C-11] [C-13] no account is made, changed or deleted', async () => {
        const words = 'does nothing else to service accounts';

        expectAnswer(await lab.create(serviceAccount('new')), words);
        expectAnswer(await lab.patch(account, annotated({ note: 'x' })), words);
        expectAnswer(await lab.delete(other), words);
      });
    });
  });
}
