import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runCommand } from '../../../../local/cli/run-command.ts';

const head = `clusters:
  - name: prod
    api: { server: https://api.prod.example.com:6443, tokenSecret: a/b }
argocd: [{ name: hub, cluster: prod }]
alerts: { targets: [] }
`;

/** The example of the reference: virtualization needs the class of the storage operator. */
const virtualization = `sequences:
  virtualization:
    clusters: [prod]
    extraObjects:
      system: { apiVersion: scale.spectrum.ibm.com/v1, kind: Filesystem, metadata: { name: fs } }
    steps:
      storage:
        kind: subscription
        name: odf-operator
        namespace: openshift-storage
        wave: 5
        waitFor: { resourceType: sc, resourceName: ceph-rbd, timeout: 2h }
      system: { kind: object, object: system, wave: 7 }
      virtualization:
        kind: subscription
        name: kubevirt-hyperconverged
        namespace: openshift-cnv
        wave: 10
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-render-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function run(text: string, ...args: readonly string[]) {
  const config = join(folder, 'poolkeeper.yaml');
  await writeFile(config, head + text);
  const said = { out: '', noted: '' };
  const status = await runCommand(['sequence', 'render', '--config', config, ...args], {
    out: (each) => {
      said.out += each;
    },
    note: (each) => {
      said.noted += `${each}\n`;
    },
    environment: {},
    now: () => new Date('2026-11-22T10:00:00.000Z'),
  });
  return { status, ...said, objects: parseAllDocuments(said.out).map((each) => each.toJS()) };
}

/** The gate of one step of its own. */
function withGate(waitFor: string, step = 'kind: pool, name: infra, wave: 3'): string {
  return `sequences: { infra: { clusters: [prod], steps: { roll: { ${step}, waitFor: ${waitFor} } } } }\n`;
}

describe('poolkeeper sequence render', () => {
  test('[S2-17] [S2-20] prints the hook Job of the gate with its account, and the waves that belong into Git', async () => {
    const { status, objects, noted } = await run(virtualization, 'virtualization');

    expect(status).toBe(0);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)).toEqual([
      'ServiceAccount openshift-storage/virtualization-storage',
      'ClusterRole -/poolkeeper-gate-openshift-storage-virtualization-storage',
      'ClusterRoleBinding -/poolkeeper-gate-openshift-storage-virtualization-storage',
      'Job openshift-storage/virtualization-storage',
    ]);
    expect(objects.at(-1).spec.activeDeadlineSeconds).toBe(7800);
    expect(noted).toContain('storage: "5" on subscription odf-operator');
    expect(noted).toContain('virtualization: "10" on subscription kubevirt-hyperconverged');
    expect(noted).toContain('SkipDryRunOnMissingResource=true');
  });

  test('[S2-8] one Job for each of several gates, in the order of their waves', async () => {
    const gates =
      '{ all: [{ resourceType: sc, syncWave: 4 }, { resourceType: pvc, resourceName: a, resourceNamespace: x }] }';
    const { objects } = await run(withGate(gates), 'infra', '--namespace', 'gates', '--image', 'quay.io/a/oc:4');

    const jobs = objects.filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ metadata }) => [metadata.name, metadata.annotations['argocd.argoproj.io/sync-wave']])).toEqual([
      ['infra-roll-2', '3'],
      ['infra-roll-1', '4'],
    ]);
    expect(jobs.map(({ metadata }) => metadata.namespace)).toEqual(['gates', 'gates']);
    expect(jobs[0].spec.template.spec.containers[0].image).toBe('quay.io/a/oc:4');
  });

  test('[S2-5] says which hook gates nothing, and which never ends', async () => {
    const operator = 'kind: subscription, name: odf, namespace: odf, wave: 3';

    expect((await run(withGate('{ resourceType: sc, hookType: PreSync }', operator), 'infra')).noted).toContain(
      'PreSync runs before the Subscription is there',
    );
    expect((await run(withGate('{ resourceType: sc, hookType: PostSync }'), 'infra')).noted).toContain(
      'holds back nothing',
    );
    expect((await run(withGate('{ resourceType: sc, hookType: SyncFail }'), 'infra')).noted).toContain(
      'holds back nothing',
    );
    expect((await run(withGate('{ resourceType: sc, syncWave: 1 }', operator), 'infra')).noted).toContain(
      'wave 1 comes before wave 3 of its own subscription',
    );
  });

  test('[S2-13] a name is never longer than a label', async () => {
    const step = 'a'.repeat(60);
    const text = `sequences: { ${'b'.repeat(60)}: { clusters: [prod], steps: { ${step}: { kind: check, wave: 1, waitFor: { resourceType: sc } } } } }\n`;
    const { objects } = await run(text, 'b'.repeat(60));

    expect(objects.at(-1).metadata.name).toHaveLength(63);
  });

  test('[S2-13] [S2-20] two gates never share a Job, of which Argo CD would run one', async () => {
    const gate = '{ resourceType: sc, resourceName: fast }';
    const several = `roll: { kind: pool, name: infra, waitFor: { all: [${gate}, ${gate}] } }`;
    const text = `sequences: { infra: { clusters: [prod], steps: { ${several}, roll-1: { kind: pool, name: gpu, waitFor: ${gate} } } } }\n`;

    const whole = await run(text, 'infra');
    const one = await run(text, 'infra', '--step', 'roll-1');

    expect(whole).toMatchObject({ status: 2, out: '' });
    expect(whole.noted).toContain('sequences.infra.steps.roll-1.waitFor: its Job would have the name infra-roll-1');
    expect(one.status).toBe(0);
  });

  test('[S2-7] a gate or a step that is disabled has no Job', async () => {
    expect((await run(withGate('{ resourceType: sc, disabled: true }'), 'infra')).noted).toContain('No gate');
    expect((await run(withGate('{ resourceType: sc }', 'kind: check, disabled: true'), 'infra')).out).toBe('');
  });

  test.each([
    [withGate('{ resourceType: sc, hookType: Presync }'), [], 'hookType'],
    [withGate('{ resourceType: sc, cel: "true" }'), [], 'sequences.infra.steps.roll.waitFor.cel: cannot be evaluated'],
    [withGate('{ any: [{ resourceType: sc }, { resourceType: pvc }] }'), [], 'sequences.infra.steps.roll.waitFor.any'],
    [withGate('{ all: [{ resourceType: gadget }] }'), [], 'waitFor.all.0.resourceType: `gadget` is not known'],
    [withGate('{ resourceType: sc }'), ['--step', 'rol'], '--step rol: is no step of infra'],
    [withGate('{ resourceType: sc }'), ['--namespace', 'A b'], '--namespace A b: is not a Kubernetes name'],
    [withGate('{ resourceType: sc }'), ['more'], 'needs the name of one sequence'],
  ])('[S2-16] [S2-20] %s %j is refused: %s', async (text, args, problem) => {
    const { status, out, noted } = await run(text, 'infra', ...args);

    expect([status, out]).toEqual([2, '']);
    expect(noted).toContain(problem);
    expect(noted).not.toContain('    at ');
  });

  test('[S2-20] an unknown sequence is named with those that there are', async () => {
    expect((await run(virtualization, 'virt')).noted).toContain('which has virtualization');
    expect((await run('', 'virt')).noted).toContain('has no sequences');
  });
});
