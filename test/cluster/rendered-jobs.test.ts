import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { syncInWords } from './harness/application.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import type { Draft, KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { ensureOlm, olmIn } from './harness/olm.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { configurationFile, runPlain } from './sequence-run.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

const [storage, cnv] = ['openshift-storage', 'openshift-cnv'];
let runner: JobRunner;

beforeAll(async () => {
  const namespaces = [storage, cnv].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  await controlPlane.ensure(...namespaces);
  await ensureOlm(controlPlane);
  runner = await startJobRunner(controlPlane, lab.toolchain);
});
afterAll(() => runner.stop());

const classOf = (name: string): Draft => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'openshift-storage.rbd.csi.ceph.com',
});
const classPath = (name: string) => `/apis/storage.k8s.io/v1/storageclasses/${name}`;

function subscription(name: string, namespace: string, { wave, channel }: { wave: number; channel: string }): Draft {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
    spec: { name, channel, source: 'redhat-operators', sourceNamespace: 'openshift-marketplace' },
  };
}

interface Patience {
  readonly timeoutSeconds: number;
}

/** The reference's own case in one Application: the storage operator in wave 5, virtualization in wave 10, and what
 *  `sequence render` prints beside them. The Jobs are less patient than a configuration may ask for. */
async function oneApplication(name: string, { timeoutSeconds }: Patience) {
  const step = (operator: string, namespace: string) => ({
    kind: 'subscription',
    name: `${name}-${operator}`,
    namespace,
  });
  const file = await configurationFile(lab, {
    [name]: {
      clusters: ['lab'],
      steps: {
        storage: { ...step('odf', storage), wave: 5, waitFor: { resourceType: 'sc', resourceName: name } },
        virtualization: { ...step('cnv', cnv), wave: 10 },
      },
    },
  });
  const rendered = await runPlain('sequence', 'render', name, '--config', file);
  const text = rendered.text.slice(0, rendered.text.indexOf('Put these into'));
  const impatient = text
    .replace(/(name: INTERVAL_SECONDS\n\s+value: )"60"/, '$1"1"')
    .replace(/(name: TIMEOUT_SECONDS\n\s+value: )"\d+"/, `$1"${timeoutSeconds}"`);
  expect(impatient).not.toBe(text);
  const gate = parseAllDocuments(impatient).map((document): Draft => document.toJS());
  const files = (channel: string) => ({
    'gates.yaml': impatient,
    'storage.json': JSON.stringify(subscription(`${name}-odf`, storage, { wave: 5, channel: 'stable-4.17' })),
    'virtualization.json': JSON.stringify(subscription(`${name}-cnv`, cnv, { wave: 10, channel })),
  });
  const repository = await lab.git.createRepository(`acme/${name}`);
  const first = await repository.commit(files('stable'));
  const application = await lab.argocd.createApplication({ name, repository, automated: false });
  const operators = [`${olmIn(storage).subscriptions}/${name}-odf`, `${olmIn(cnv).subscriptions}/${name}-cnv`] as const;
  onTestFinished(async () => {
    await application.delete();
    for (const object of gate) await kube.delete(`${pathOf(object)}?propagationPolicy=Background`);
    for (const path of operators) await kube.delete(path);
    await kube.delete(classPath(name));
  });

  const [odf, virtualization] = operators;
  const job = `/apis/batch/v1/namespaces/${storage}/jobs/${name}-storage`;
  return {
    gate,
    application,
    first,
    virtualization,
    job,
    commit: (channel: string) => repository.commit(files(channel)),
    /** As a person presses the button. */
    sync: async () => {
      const isOutOfSync = async () => (await application.read()).status?.sync?.status === 'OutOfSync';
      await until(isOutOfSync, 60_000, `${name} to be out of sync`);
      await application.sync();
    },
    /** OLM finds nothing wrong with a Subscription. */
    resolves: async (path: string = odf) => {
      let seen: KubeObject | undefined;
      await until(
        async () => {
          seen = await application.read();
          return kube.find(path);
        },
        60_000,
        () => `${path} to be applied; the sync was ${syncInWords(seen)}`,
      );
      const conditions = [{ type: 'CatalogSourcesUnhealthy', status: 'False', reason: 'AllCatalogSourcesHealthy' }];
      await kube.patch(path, { status: { state: 'AtLatestKnown', conditions } });
    },
    /** What the newest pod of the gate has said, once it has said this. */
    untilSaid: (words: string) =>
      until(
        async () => {
          const log = await newestLog(`${name}-storage`);
          return log.includes(words) ? log : undefined;
        },
        60_000,
        `the gate to say "${words}"`,
      ),
  };
}

function pathOf(object: Draft): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}

/** By the API server, from the node that it ran on. */
async function newestLog(job: string): Promise<string> {
  const { pods } = paths.in(storage);
  const all = await kube.list(`${pods}?labelSelector=batch.kubernetes.io/job-name=${job}`);
  const born = ({ metadata }: KubeObject) => `${metadata.creationTimestamp} ${metadata['deletionTimestamp'] ?? '~'}`;
  const newest = all.toSorted((a, b) => born(a).localeCompare(born(b))).at(-1);
  if (newest === undefined) return '';
  return String(await kube.get(`${pods}/${newest.metadata.name}/log`));
}

describe('rendered gates within one Application, synced by a real Argo CD', () => {
  test('[S2-17] [S2-20] [S2-13] with the class late, the second wave waits for it, by the rights of the printed account alone; deleted again, the next sync waits again', async () => {
    const { gate, application, first, virtualization, job, commit, sync, resolves, untilSaid } = await oneApplication(
      'class-late',
      { timeoutSeconds: 300 },
    );

    await sync();
    await resolves();
    const waiting = await untilSaid('waiting for sc class-late since');
    const early = await kube.find(virtualization);
    const firstJob = (await kube.get(job)).metadata.uid;
    await kube.post('/apis/storage.k8s.io/v1/storageclasses', classOf('class-late'));
    await resolves(virtualization);
    await application.untilPhase('Succeeded', first.after);

    expect(waiting).toContain('not there');
    expect(early).toBeUndefined();
    expect(gate.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Job']);
    expect((await kube.get(job)).spec.template.spec.serviceAccountName).toBe(gate[0]?.metadata.name);
    expect(await untilSaid('open: sc class-late')).not.toContain('forbidden');

    await kube.delete(classPath('class-late'));
    const second = await commit('candidate');
    await application.refresh();
    await sync();
    await until(async () => (await kube.find(job))?.metadata.uid !== firstJob, 60_000, 'the Job to be made anew');
    await untilSaid('waiting for sc class-late since');
    const held = (await kube.get(virtualization)).spec.channel;
    await kube.post('/apis/storage.k8s.io/v1/storageclasses', classOf('class-late'));
    await application.untilPhase('Succeeded', second.after);

    expect(held).toBe('stable');
    expect((await kube.get(virtualization)).spec.channel).toBe('candidate');
  });

  test('[S2-17] [S2-10] [S2-20] with the class never there, the sync ends in time and virtualization does not begin; with the class there, the next sync does not wait', async () => {
    const { application, first, virtualization, sync, resolves, untilSaid } = await oneApplication('class-never', {
      timeoutSeconds: 2,
    });

    await sync();
    await resolves();
    const failed = await application.untilPhase('Failed');
    const never = await kube.find(virtualization);
    const said = await untilSaid('the time of 2 s is over');
    await kube.post('/apis/storage.k8s.io/v1/storageclasses', classOf('class-never'));
    await sync();
    await resolves(virtualization);
    await application.untilPhase('Succeeded', first.after);

    expect(failed.status.operationState.message).toContain(
      'one or more synchronization tasks completed unsuccessfully',
    );
    expect(never).toBeUndefined();
    expect(said).toContain('not there');
    const again = await untilSaid('open: sc class-never');
    expect(again).not.toContain('waiting');
  });
});
