import { expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { addManualHold, holdByHand, resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { aNode, anApplication } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

type Change = Parameters<KeepLab['world']['pools']['change']>[2];

function open(lab: KeepLab) {
  return lab.world.tables.incidents
    .all()
    .filter(({ key, state }) => key.kind === 'late-pause' && state === 'firing')
    .map(({ key, trouble }) => [key.pool, key.kind, trouble?.severity, trouble?.headline]);
}

function incidentOf(lab: KeepLab) {
  return lab.world.tables.incidents.all().find(({ key }) => key.kind === 'late-pause');
}

function findingsOf(lab: KeepLab) {
  return incidentOf(lab)?.trouble?.findings ?? [];
}

/** Somebody else takes the pause away, some seconds after the last pass. */
function resumes(lab: KeepLab, manager: string, change: Change = {}): void {
  lab.world.clock.advance(5);
  lab.world.pools.change('worker', manager, { paused: false, ...change });
}

async function syncingLab(options: Parameters<typeof keepLab>[0] = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', operation: undefined }));
  lab.syncs(commitB);
  await lab.tick();
  lab.world.pools.observe('worker');
  await lab.tick();
  return lab;
}

const rolling: Change = { target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] } };

const told = ['worker', 'late-pause', 'high', 'resumed by argocd-controller in the middle of a sync'];

test('[S0-15] [N-29] a pool that Argo CD resumes by self-heal in mid-sync is told at once, until its sync has ended', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller');
  await lab.pass(60);
  const soon = open(lab);
  const [finding] = findingsOf(lab);
  await lab.pass(1200);
  const between = open(lab);
  lab.ends('Succeeded');
  await lab.pass(900);

  expect(soon).toEqual([told]);
  expect(finding).toMatchObject({
    code: 'Z5',
    sentence: expect.stringMatching(
      /^At 2026-03-02T10:00:05Z argocd-controller, .* the sync of openshift-gitops\/nodes/,
    ),
    remedies: [
      { title: expect.stringContaining('spec.paused') },
      { title: expect.stringContaining('RespectIgnoreDifferences') },
      {
        command: expect.stringContaining('poolkeeper hold --cluster prod --pool worker --for 2h'),
        undo: 'poolkeeper hold --cluster prod --pool worker --for 1m --reason "..."',
      },
    ],
  });
  expect(between).toEqual([told]);
  expect(lab.pool().paused).toBe(false);
  expect(open(lab)).toEqual([]);
  expect(incidentOf(lab)?.notes.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  expect(incidentOf(lab)?.notes.at(-1)?.text).toContain('no longer held for openshift-gitops/nodes');
});

test('[S0-15] [N-29] so is one that is resumed while a sync is awaited', async () => {
  const lab = keepLab();
  await lab.deliver(lab.pushOf(commitB));
  resumes(lab, 'argocd-controller');
  await lab.pass(60);

  expect(open(lab)).toEqual([['worker', 'late-pause', 'high', 'resumed by argocd-controller while a sync is awaited']]);
});

test('[S0-15] [N-29] so is one that is found together with the end of its sync, also by the pass after one that died', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller');
  lab.ends('Succeeded');
  const heal = lab.world.faults.failAll(['incidents.load']);
  await lab.tick().catch(() => undefined);
  heal();
  await lab.pass(60);
  const soon = open(lab);
  const [finding] = findingsOf(lab);
  await lab.pass(900);

  expect(lab.record()?.holds).toEqual([]);
  expect(soon).toEqual([['worker', 'late-pause', 'high', 'resumed by argocd-controller while a sync held it']]);
  expect(finding?.sentence).toContain('the sync of openshift-gitops/nodes');
  expect(open(lab)).toEqual([]);
});

test.each([
  'sriov-network-config-daemon',
  'OpenAPI-Generator',
  'python-requests',
  'kustomize-controller',
  'argocd-application-controller',
  'Go-http-client',
])('[S0-15] [N-29] %s is a program', async (manager) => {
  const lab = await syncingLab();
  resumes(lab, manager);
  await lab.pass(120);

  expect(open(lab)).toMatchObject([['worker', 'late-pause', 'high', expect.stringContaining(manager)]]);
});

test('[S0-15] [N-29] a writer that the API server did not note is told as unknown', async () => {
  const lab = await syncingLab();
  resumes(lab, '', { pausedBy: undefined });
  await lab.pass(60);

  expect(open(lab)).toEqual([['worker', 'late-pause', 'high', 'resumed by an unknown writer in the middle of a sync']]);
  expect(findingsOf(lab)).toMatchObject([{ confidence: 'possible' }]);
});

test.each([
  'kubectl',
  'oc',
  'oc.exe',
  'kubectl-patch',
  'kubectl-edit',
  'kubectl-client-side-apply',
  'Mozilla',
  'argocd-server',
  'k9s',
])('[decoy] [S0-15] a resume by a person, as with %s, alerts nobody', async (manager) => {
  const lab = await syncingLab();
  resumes(lab, manager, rolling);
  await lab.pass(1200);

  expect(lab.record()).toMatchObject({ pause: 'overridden', last: { by: manager } });
  expect(open(lab)).toEqual([]);
});

test('[decoy] [S0-15] nor does one whose pause was not confirmed yet', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.tick();
  resumes(lab, 'kubectl-edit', rolling);
  await lab.pass(600);

  expect(open(lab)).toEqual([]);
});

test('[decoy] [S0-15] nor one that takes back a pause of its own', async () => {
  const lab = keepLab();
  lab.world.pools.change('worker', 'sriov-network-config-daemon', { paused: true });
  lab.syncs(commitB);
  await lab.tick();
  resumes(lab, 'sriov-network-config-daemon');
  await lab.pass(60);

  expect(lab.pool()).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
  expect(open(lab)).toEqual([]);
});

test('[S0-15] [N-28] the nodes that were targeted since are named, and that is news once', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller', rolling);
  await lab.pass(60);
  const before = incidentOf(lab)?.trouble?.facts;
  for (const name of ['worker-1', 'worker-2']) {
    const targetedAt = lab.world.clock.now().toISOString();
    lab.world.pools.putNode(aNode({ name, desiredConfig: 'rendered-worker-bbb', state: 'Working', targetedAt }));
    await lab.pass(120);
    lab.world.pools.putNode(
      aNode({ name, currentConfig: 'rendered-worker-bbb', desiredConfig: 'rendered-worker-bbb', targetedAt }),
    );
    await lab.pass(60);
  }

  expect(before).toContainEqual({ label: 'Nodes targeted since', value: 'none seen' });
  expect(incidentOf(lab)?.trouble?.facts).toContainEqual({
    label: 'Nodes targeted since',
    value: 'worker-1 and worker-2',
  });
  expect(incidentOf(lab)?.notes.map(({ kind }) => kind)).toEqual(['opened', 'changed']);
});

test('[S0-15] [N-29] an earlier rollout is not what the resume has let go', async () => {
  const lab = await syncingLab();
  const targetedAt = '2026-03-02T09:00:00Z';
  lab.world.pools.putNode(
    aNode({ name: 'worker-1', desiredConfig: 'rendered-worker-bbb', state: 'Working', targetedAt }),
  );
  resumes(lab, 'argocd-controller', rolling);
  await lab.pass(60);

  expect(incidentOf(lab)?.trouble?.facts).toContainEqual({ label: 'Nodes targeted since', value: 'none seen' });
});

test('[S0-15] [N-29] a program that resumes again and again under policy enforce is one incident, and ends when it stops', async () => {
  const lab = await syncingLab({ policy: { onOverride: 'enforce' } });
  for (let time = 0; time < 20; time += 1) {
    resumes(lab, 'argocd-controller');
    await lab.tick();
    lab.world.pools.observe('worker');
    await lab.pass(60);
  }
  const during = open(lab);
  const writes = lab.world.pools.patches.length;
  await lab.pass(1500);

  expect(during).toEqual([
    ['worker', 'late-pause', 'warning', 'resumed by argocd-controller in the middle of a sync; paused again'],
  ]);
  expect(writes).toBeLessThanOrEqual(22);
  expect(lab.pool().paused).toBe(true);
  expect(open(lab)).toEqual([]);
  expect(incidentOf(lab)?.notes.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  expect(incidentOf(lab)?.notes.at(-1)?.text).toContain('is paused again');
});

test('[S0-25] [N-29] a hook Job whose resume is taken back is told once, by its name', async () => {
  const lab = keepLab();
  const job = { group: 'batch', kind: 'Job', namespace: 'a', name: 'resumes', status: '', message: '' };
  lab.syncs(commitB, { results: [{ ...job, hookType: 'PostSync' }] });
  await lab.tick();
  resumes(lab, 'kubectl-patch');
  await lab.pass(60);
  const soon = open(lab);
  const [finding] = findingsOf(lab);
  lab.ends('Succeeded');
  await lab.pass(1500);

  expect(soon).toMatchObject([
    ['worker', 'late-pause', 'warning', expect.stringMatching(/Job a\/resumes.*paused again$/)],
  ]);
  expect(finding).toMatchObject({
    confidence: 'likely',
    remedies: [{ title: expect.stringContaining('Job'), command: expect.stringContaining('doctor') }],
  });
  expect(open(lab)).toEqual([]);
});

test('[S0-15] [N-29] a sync that runs on is told again once the pool is not paused for another any more', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller');
  await lab.pass(60);
  lab.syncs(commitC, {}, 'other');
  for (let second = 0; second < 310; second += 10) {
    await lab.pass(10);
    lab.world.pools.observe('worker');
  }
  await lab.pass(1200);
  const between = [lab.pool().paused, open(lab)];
  lab.ends('Succeeded', {}, 'other');
  await lab.pass(300);

  expect(between).toEqual([true, []]);
  expect(lab.pool().paused).toBe(false);
  expect(open(lab)).toEqual([told]);
});

test('[S0-15] [N-29] a pause that came late and was then taken back is one incident', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.tick();
  const targetedAt = lab.world.clock.now().toISOString();
  lab.world.pools.change('worker', 'machine-config-controller', rolling);
  lab.world.pools.putNode(
    aNode({ name: 'worker-1', desiredConfig: 'rendered-worker-bbb', state: 'Working', targetedAt }),
  );
  lab.world.pools.observe('worker');
  await lab.pass(180);
  const late = open(lab);
  resumes(lab, 'argocd-controller');
  await lab.pass(60);

  expect(late).toMatchObject([['worker', 'late-pause', 'warning', 'the pause came late for worker-1']]);
  expect(open(lab)).toEqual([told]);
  expect(findingsOf(lab).map(({ code }) => code)).toEqual(['Z5', 'Z1']);
});

test('[S0-15] [N-29] nor is one that was not confirmed yet blamed on the MCO as well', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.tick();
  resumes(lab, 'argocd-controller');
  await lab.pass(600);

  expect(open(lab)).toEqual([told]);
  expect(findingsOf(lab).map(({ code }) => code)).toEqual(['Z5']);
});

test('[S0-15] [N-29] a freeze that a program has ended for a pool is told as long as it would last', async () => {
  const lab = keepLab();
  const { world } = lab;
  const until = new Date(world.clock.now().getTime() + 7200_000);
  const request = { who: 'ann', why: 'end of year', now: world.clock.now() };
  const id = 'freeze/pool/ann';
  const since = request.now.toISOString();
  const { record } = holdByHand(lab.pool(), { id, kind: 'freeze', since, until: until.toISOString() }, request);
  await world.pools.patchPool(lab.pool(), { paused: true, record });
  await lab.pass(60);
  resumes(lab, 'argocd-controller');
  await lab.pass(3600);
  const during = open(lab);
  const [finding] = findingsOf(lab);
  await lab.pass(7200);

  expect(during).toEqual([['worker', 'late-pause', 'high', 'resumed by argocd-controller in spite of a freeze']]);
  expect(finding?.sentence).toContain('the freeze of ann');
  expect(open(lab)).toEqual([]);
});

test('[S0-15] [N-7] a pool that is to rest is told as long as it does not', async () => {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
  await lab.pass(120);
  resumes(lab, 'argocd-controller');
  await lab.pass(3000);
  const during = [lab.pool().paused, open(lab)];
  await lab.pass(2400);

  expect(during).toEqual([
    false,
    [['worker', 'late-pause', 'high', 'resumed by argocd-controller before its gates had opened']],
  ]);
  expect(lab.pool().paused).toBe(true);
  expect(open(lab)).toEqual([]);
});

test('[S0-15] [N-29] what a person decides afterwards ends it', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller');
  await lab.pass(300);
  const before = open(lab);
  const { record } = resumeManually(lab.pool(), { who: 'ann', why: 'let it roll', now: lab.world.clock.now() });
  await lab.world.pools.patchPool(lab.pool(), { record });
  await lab.pass(900);

  expect(before).toEqual([told]);
  expect(open(lab)).toEqual([]);
  expect(incidentOf(lab)?.notes.at(-1)?.text).toContain('ann resumed pool worker');
});

test('[S0-15] [N-29] who holds the pool again ends it, once that has stayed', async () => {
  const lab = await syncingLab();
  resumes(lab, 'argocd-controller');
  await lab.pass(300);
  const now = lab.world.clock.now();
  const until = new Date(now.getTime() + 7200_000);
  const { record } = addManualHold(lab.pool(), until, { who: 'ann', why: 'not now', now });
  await lab.world.pools.patchPool(lab.pool(), { paused: true, record });
  await lab.pass(1200);

  expect(lab.pool().paused).toBe(true);
  expect(open(lab)).toEqual([]);
});

test('[S0-15] [N-29] a resume that could not be noted is told all the same', async () => {
  const lab = await syncingLab();
  lab.world.faults.failAll(['pools.patch']);
  resumes(lab, 'argocd-controller');
  for (let minute = 0; minute < 5; minute += 1) await lab.pass(60).catch(() => undefined);

  expect(open(lab)).toEqual([told]);
});

test.each(['keep', 'resume-after-approval'] as const)(
  "[S0-9] [S0-15] a program's resume decides nothing about a sync that fails once the pool is paused again: %s",
  async (onSyncFailure) => {
    const lab = await syncingLab({ policy: { onSyncFailure } });
    const ofOther = (phase: string) => {
      const event = lab.operationOf(phase);
      return { ...event, id: `${event.id}/other`, data: { ...event.data, name: 'other' } };
    };
    resumes(lab, 'argocd-controller');
    await lab.pass(60);
    lab.syncs(commitC, {}, 'other');
    await lab.deliver(ofOther('Running'));
    lab.world.pools.observe('worker');
    await lab.pass(60);
    const again = lab.pool().paused;

    lab.ends('Failed', { results: [failed, { ...failed, name: '98-worker-first', status: 'Synced', message: '' }] });
    await lab.deliver(lab.operationOf('Failed'));
    lab.ends('Succeeded', {}, 'other');
    await lab.deliver(ofOther('Succeeded'));
    await lab.pass(600);

    expect([again, lab.pool().paused]).toEqual([true, true]);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'failed' }]);
    expect(lab.troubles()).toEqual(['run-failed']);
  },
);

const failed = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  status: 'SyncFailed',
  message: 'spec.config: invalid',
  hookType: '',
};
