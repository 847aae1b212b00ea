import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { noRollouts } from '../../../functions/core/node-rollouts/follow.ts';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { type SequenceRequest, sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { aNode, aNodeRollout } from '../../fakes/index.ts';
import type { Watch } from '../failing-calls.ts';
import { guardLab } from './guard-lab.ts';
import { commitB, type KeepLab, keepLab, tickOf } from './keep-lab.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';
import { watchedPorts } from './watched-ports.ts';

/** A cluster where a part of the next tick has work. */
export interface Scene {
  readonly lab: KeepLab;
  /** A minute passes, and the clock ticks.
   *  @param watch is told of each call of a port, and lets it fail */
  tick(watch?: Watch): Promise<void>;
  /** What comes of the part, with how often it did what it may do once. */
  end(): unknown;
  /** What must not be so at any time. */
  wrong?(): readonly string[];
  /** After so many minutes what failed has been done; absent: three. */
  readonly minutes?: number;
}

/** Each tick lists all Applications. */
const policy = { sweepEverySeconds: 60 };

const argocdHome = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const settingsPath = '/api/v1/namespaces/shop/configmaps/settings';
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
const classPath = (name: string) => `/apis/storage.k8s.io/v1/storageclasses/${name}`;

function ticking(lab: KeepLab, more: Partial<KeepPorts> = {}, before: () => void = () => {}): Scene['tick'] {
  const ports = { ...lab.ports, ...more };
  return async (watch) => {
    lab.world.clock.advance(60);
    before();
    await keep(tickOf(lab.world.clock.now()), watch === undefined ? ports : watchedPorts(ports, watch));
  };
}

/** A sequence whose first step is done, and whose second is to be applied. */
async function sequenceScene(): Promise<Scene> {
  const waitFor = { resourceType: 'sc', resourceName: 'fast', timeoutSeconds: 3600 };
  const operator = { kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: 5, waitFor };
  const steps = { storage: operator, settings: { kind: 'object', object: 'settings', wave: 10 } };
  const all = sequenceLab(steps, { extraObjects: { settings: { ...settings, disabled: false } } }, { policy });
  const { lab, prod, record, tick } = all;
  all.installs(prod, 'openshift-storage', 'odf-operator');
  await tick();
  prod.objects.set(classPath('fast'), { metadata: { name: 'fast' } });
  return { lab, tick, end: () => [[...prod.objects.keys()], record().done !== undefined] };
}

/** A sequence whose first step is checked by a Job. */
async function checkScene(): Promise<Scene> {
  const check = { kind: 'check', wave: 1, waitFor: { image: 'registry.example.com/check:v1', command: ['/check'] } };
  const steps = { check, settings: { kind: 'object', object: 'settings', wave: 10 } };
  const { lab, prod, record, tick } = sequenceLab(steps, { extraObjects: { settings } }, { policy });
  const isDone = () => record().done !== undefined;
  const jobs = () => [...prod.objects.keys()].filter((path) => path.includes('/jobs/'));
  return {
    lab,
    tick: async (watch) => {
      await tick(watch);
      for (const path of jobs())
        prod.objects.set(path, {
          ...Object(prod.objects.get(path)),
          status: { conditions: [{ type: 'Complete', status: 'True' }] },
        });
    },
    end: () => [jobs().length, prod.objects.has(settingsPath), isDone()],
  };
}

/** Windows of AppProject platform, by the Applications that they hold back. */
function held({ prod }: SequenceLab): readonly string[] {
  const windows = memberOf(memberOf(prod.objects.get(`${argocdHome}/appprojects/platform`), 'spec'), 'syncWindows');
  return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
}

/** An object with a gate, and an Application that waits for both. */
function holdingLab(): SequenceLab {
  const waitFor = { resourceType: 'sc', resourceName: 'fast' };
  const all = sequenceLab(
    {
      first: { kind: 'object', object: 'settings', waitFor },
      nodes: { kind: 'application', name: 'nodes', wave: 10 },
    },
    { extraObjects: { settings } },
    { policy },
  );
  const application = { metadata: { name: 'nodes' }, spec: { project: 'platform' } };
  all.prod.objects.set(`${argocdHome}/applications/nodes`, application);
  all.prod.objects.set(`${argocdHome}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
  return all;
}

/** A sequence that has an Application to hold back. */
async function holdingScene(): Promise<Scene> {
  const all = holdingLab();
  return { lab: all.lab, tick: all.tick, end: () => [held(all), Object.keys(all.record().held ?? {})] };
}

/** A sequence whose Application may go. */
async function releasingScene(): Promise<Scene> {
  const all = holdingLab();
  const { lab, prod, tick } = all;
  for (let minute = 0; minute < 2; minute += 1) await tick();
  prod.objects.set(classPath('fast'), { metadata: { name: 'fast' } });
  return { lab, tick, end: () => [held(all), Object.keys(all.record().held ?? {})] };
}

/** A sequence that somebody has aborted, and that takes back what it had applied. */
async function abortedScene(): Promise<Scene> {
  const all = holdingLab();
  const { lab, prod, record, tick } = all;
  for (let minute = 0; minute < 3; minute += 1) await tick();
  const said = { who: 'anna', why: 'not today', at: lab.world.clock.now().toISOString() };
  const request: SequenceRequest = { kind: 'abort', said };
  const key = `poolkeeper/${sequenceName}`;
  const resourceVersion = String(Number(prod.records.get(key)?.resourceVersion) + 1);
  prod.records.set(key, { text: sequenceRecordText(withRequest(record(), request)), resourceVersion });
  return {
    lab,
    tick,
    end: () => [prod.objects.has(settingsPath), held(all), record().cleanedAt !== undefined],
  };
}

/** A sequence that was removed half an hour ago, and whose object is to be deleted now, and then its record. */
async function removedScene(): Promise<Scene> {
  const all = holdingLab();
  const { lab, prod, tick } = all;
  for (let minute = 0; minute < 2; minute += 1) await tick();
  all.configureAll({});
  await tick();
  lab.world.clock.advance(1_800);
  // A record that may not be deleted is emptied.
  const isLeft = () => [...prod.records.values()].some(({ text }) => text !== '');
  return { lab, tick, end: () => [prod.objects.has(settingsPath), held(all), isLeft()] };
}

/** A guard that opens: the pause of its pool is confirmed. */
async function guardScene(): Promise<Scene> {
  const lab = guardLab({ policy });
  const tick = ticking(lab, {}, () => lab.compares());
  await tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  return { lab, tick, end: () => [lab.isClosed(), lab.isAskedToLook(), lab.pool().paused] };
}

const refusal =
  "ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'b' denied request: pool worker is not paused yet: MachineConfig 99-worker-ssh";

/** A sync that the admission policy refused, and whose pool is paused for it now. */
async function refusedScene(): Promise<Scene> {
  const pools = { worker: { ...defaultPoolSettings, protection: 'admission' as const } };
  const lab = keepLab({ policy: { ...policy, onRefusedSync: 'restart' }, pools });
  const { argocd, pools: observed } = lab.world;
  const { retrySync } = argocd;
  let started = 0;
  Object.assign(argocd, {
    retrySync: async (...args: Parameters<typeof retrySync>) => {
      const outcome = await retrySync(...args);
      if (outcome === 'started') started += 1;
      return outcome;
    },
  });
  const tick = ticking(lab);
  lab.syncs(commitB);
  await tick();
  lab.ends('Failed', { message: refusal, results: [] });
  observed.observe('worker');
  const wrong = () => (lab.pool().paused ? [] : ['pool worker has resumed']);
  return {
    lab,
    tick,
    end: () => [argocd.get('nodes').operationQueued, started, lab.pool().paused],
    wrong,
  };
}

/** A sync that failed because the node of its controller rebooted. */
async function lostScene(): Promise<Scene> {
  const lab = keepLab({ policy });
  const { argocd, pools, tables } = lab.world;
  const tick = ticking(lab);
  const reboots = [
    {
      node: 'infra-1',
      to: 'rendered-infra-bbb',
      from: '2026-03-02T10:01:00Z',
      until: '2026-03-02T10:05:00Z',
      isObserved: true,
    },
  ];
  await tables.nodeRollouts.save({ ...noRollouts('prod'), reboots });
  const name = 'openshift-gitops-application-controller-0';
  argocd.setControllerPods([
    { name, namespace: 'openshift-gitops', node: 'infra-1', runningSince: '2026-03-02T10:04:00Z' },
  ]);
  lab.syncs(commitB);
  for (let minute = 0; minute < 6; minute += 1) await tick();
  lab.ends('Error', { message: 'hook job disappeared' });
  pools.observe('worker');
  const told = () => tables.incidents.all().find(({ key }) => key.kind === 'run-failed')?.trouble?.headline;
  const wrong = () => (lab.pool().paused ? [] : ['pool worker has resumed']);
  return { lab, tick, end: () => [told(), lab.pool().paused], wrong };
}

/** A calendar that freezes the pool, and is read again in the next tick; nothing else keeps its pool paused. */
async function calendarScene(): Promise<Scene> {
  const url = 'https://calendar.example.com/holidays.ics';
  const windows = [
    Window.parse({ kind: 'deny', calendarFrom: { url }, description: 'bank holidays', pools: ['worker'] }),
  ];
  const lab = keepLab({ windows, policy });
  const { pools } = lab.world;
  const text =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302T090000Z\nDTEND:20260303T120000Z\nEND:VEVENT\nEND:VCALENDAR\n';
  const calendarServers = {
    read: async () => ({ kind: 'read' as const, text, etag: undefined, lastModified: undefined }),
  };
  const tick = ticking(lab, { calendarServers });
  lab.syncs(commitB);
  await lab.tick();
  lab.ends('Succeeded');
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  pools.change('worker', 'machine-config-controller', { target });
  pools.observe('worker');
  lab.world.clock.advance(3_600);
  const why = async () =>
    (await lab.world.tables.views.list())[0]?.pools
      .find(({ name }) => name === 'worker')
      ?.closedGates.find(({ gate }) => gate === 'window')?.why;
  const wrong = () => (lab.pool().paused ? [] : ['pool worker has resumed']);
  return { lab, tick, end: async () => [await why(), lab.pool().paused], wrong, minutes: 6 };
}

/** A node that has arrived at its new config since the last tick. */
async function rolloutScene(): Promise<Scene> {
  const lab = keepLab({ policy });
  const { bus, pools, tables } = lab.world;
  const tick = ticking(lab);
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  pools.change('worker', 'machine-config-controller', {
    target,
    counts: { machines: 3, updated: 0, ready: 3, unavailable: 1, degraded: 0 },
  });
  const goes = { name: 'worker-1', desiredConfig: target.name, state: 'Working' } as const;
  pools.putNode(aNode({ ...goes, postConfigAction: 'Rebooting' }));
  const open = aNodeRollout({ begun: { at: '2026-03-02T10:00:00Z', told: true }, step: 'reboot', ended: undefined });
  await tables.nodeRollouts.save({ ...noRollouts('prod'), open: [open] });
  await tick();
  pools.putNode(aNode({ name: 'worker-1', currentConfig: target.name, desiredConfig: target.name }));
  const updated = () => new Set(bus.published.filter(({ type }) => type.includes('node.updated')).map(({ id }) => id));
  return {
    lab,
    tick,
    end: async () => [
      tables.nodeRollouts.endedRollouts().map(({ node, to }) => `${node} ${to}`),
      updated().size,
      (await tables.nodeRollouts.load('prod'))?.untold,
    ],
  };
}

/** With what its calls are made for, as the table of calls names it. */
export const scenes: readonly (readonly [string, string, () => Promise<Scene>])[] = [
  ['a sequence that applies', 'sequences', sequenceScene],
  ['a sequence that runs a Job', 'Jobs of sequences', checkScene],
  ['a sequence that holds an Application back', 'held Applications', holdingScene],
  ['a sequence whose Application may go', 'held Applications', releasingScene],
  ['a sequence that was aborted', 'aborted sequences', abortedScene],
  ['a sequence that was removed', 'removed sequences', removedScene],
  ['a guard that opens', 'guards', guardScene],
  ['a refused sync that is started again', 'refused syncs', refusedScene],
  ['a sync that lost its controller', 'failed syncs', lostScene],
  ['a calendar', 'old calendars', calendarScene],
  ['a node that has arrived', 'rollouts', rolloutScene],
];
