import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication, aPool } from '../../fakes/index.ts';
import { type GuardLab, guardLab } from './guard-lab.ts';
import { commitA, commitB, commitC, type LabOptions, nodesHold } from './keep-lab.ts';

const role = 'machineconfiguration.openshift.io/role';

/** Pool gpu stands beside worker; nothing of worker is merged there. */
function withGpu(): GuardLab {
  const lab = guardLab();
  const bare = { name: 'rendered-gpu-aaa', sources: ['00-worker'] };
  const machineConfigSelector = { matchLabels: { [role]: 'gpu' } };
  lab.world.pools.put(aPool({ name: 'gpu', uid: 'uid-gpu', machineConfigSelector, target: bare, current: bare }));
  return lab;
}

/** Delivers a push of commit B on A that adds one MachineConfig for each of these roles, and nothing else. */
function pushOfConfigs(lab: GuardLab, roles: readonly string[]): Promise<void> {
  const files = roles.map((name) => ({
    path: `nodes/98-${name}.yaml`,
    before: { kind: 'absent' as const },
    after: {
      kind: 'text' as const,
      text: `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 98-${name}, labels: {${role}: ${name}}}
spec: {config: {ignition: {version: 3.4.0}, storage: {files: [{path: /etc/x, mode: 420}]}}}
`,
    },
  }));
  const readChange = async () => ({ files, tools: [], incomplete: undefined });
  const paths = files.map(({ path }) => path);
  return keep(lab.pushOf(commitB, { before: commitA, files: { kind: 'known', paths } }), {
    ...lab.ports,
    changes: { repositories: { readChange }, manifestReader },
  });
}

function isHeld(lab: GuardLab, pool: string): boolean {
  return lab.record(pool)?.holds.some(({ id }) => id === nodesHold) === true;
}

describe('a push that adds a pool to a guarded Application', () => {
  test('[N-6] opens its guard only when that pool is confirmed paused too', async () => {
    const lab = withGpu();
    await lab.tick();
    await pushOfConfigs(lab, ['worker', 'gpu']);
    const held = ['worker', 'gpu'].map((pool) => isHeld(lab, pool));
    lab.confirms('worker');
    await lab.pass(10);
    const withOne = lab.isClosed();
    lab.confirms('gpu');
    await lab.pass(10);

    expect(held).toEqual([true, true]);
    expect([withOne, lab.isClosed()]).toEqual([true, false]);
    expect(lab.guard()?.pools.toSorted()).toEqual(['gpu', 'worker']);
  });

  test('[N-6] opens nothing in that very pass, though its other pool has been confirmed paused for long', async () => {
    const lab = withGpu();
    lab.world.pools.change('worker', 'ann', { paused: true });
    lab.confirms('worker');
    await lab.tick();

    await pushOfConfigs(lab, ['worker', 'gpu']);
    lab.confirms('worker');
    const inThatPass = lab.isClosed();
    await lab.pass(120);
    const unconfirmed = [lab.isClosed(), lab.isAskedToLook()];

    expect(inThatPass).toBe(true);
    expect(unconfirmed).toEqual([true, false]);
  });
});

describe('a push whose change is not read', () => {
  async function pushed(prepare: (world: GuardLab['world']) => void = () => {}): Promise<GuardLab> {
    const lab = guardLab();
    prepare(lab.world);
    const target = { name: 'rendered-infra-aaa', sources: ['99-infra-ntp'] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', target, current: target }));
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    return lab;
  }

  function adds(lab: GuardLab): void {
    const { resources } = lab.world.argocd.get('nodes');
    lab.world.argocd.change('nodes', {
      resources: resources.flatMap((each) => [each, { ...each, name: '99-infra-ntp', status: 'OutOfSync' }]),
    });
  }

  test('[N-6] [N-30] opens no guard before Argo CD has compared it, and every pool that it adds is confirmed paused', async () => {
    const lab = await pushed();
    lab.confirms();
    await lab.tick();
    const before = [lab.isClosed(), lab.isAskedToLook(), lab.pool('infra').paused];
    adds(lab);
    await lab.pass(61);
    const compared = [lab.isClosed(), lab.pool('infra').paused];
    lab.confirms('infra');
    await lab.pass(30);

    expect(before).toEqual([true, true, false]);
    expect(compared).toEqual([true, true]);
    expect(lab.isClosed()).toBe(false);
    expect(lab.looks(commitB)).toBe(true);
  });

  test('[N-6] is compared within seconds, also where its pool was paused before', async () => {
    const lab = guardLab();
    lab.world.pools.change('worker', 'ann', { paused: true });
    lab.confirms();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    const afterPush = [lab.isClosed(), lab.isAskedToLook()];
    await lab.pass(5);

    expect(afterPush).toEqual([true, true]);
    expect(lab.isClosed()).toBe(false);
  });

  test('[N-6] [N-30] opens no guard before that either where the repository has the writer of its spec too', async () => {
    const lab = await pushed((world) => {
      const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
      world.argocd.put(anApplication({ name: 'root', uid: 'uid-root', resources: [{ ...child, status: 'Synced' }] }));
    });
    lab.confirms();
    await lab.tick();
    const before = [lab.record()?.holds[0]?.via?.name, lab.isClosed(), lab.isAskedToLook()];
    adds(lab);
    await lab.pass(61);

    expect(before).toEqual(['root', true, true]);
    expect([lab.isClosed(), lab.pool('infra').paused]).toEqual([true, true]);
  });

  test('[N-6] [N-30] opens no guard because Argo CD has compared the commit before, which it still knew', async () => {
    const lab = await pushed();
    lab.confirms();
    const polls = (seconds: number) => {
      lab.world.clock.advance(seconds);
      const reconciledAt = lab.world.clock.now().toISOString();
      const sync = { status: 'Synced' as const, revisions: [commitA] };
      lab.world.argocd.change('nodes', { annotations: {}, sync, reconciledAt });
      return lab.tick();
    };
    await polls(2);
    lab.world.clock.advance(2);
    await lab.tick();
    const soon = [lab.isClosed(), lab.isAskedToLook()];
    await polls(190);

    expect(soon).toEqual([true, true]);
    expect(lab.isClosed()).toBe(false);
  });

  test('[N-6] says what it waits for while Argo CD cannot compare it', async () => {
    const lab = await pushed();
    lab.confirms();
    lab.world.argocd.change('nodes', { sync: { status: 'Unknown', revisions: [] } });
    for (let minute = 0; minute < 12; minute += 1) {
      lab.world.clock.advance(60);
      await lab.tick();
    }

    expect(lab.isClosed()).toBe(true);
    expect(JSON.stringify(lab.world.tables.incidents.all())).toContain('Argo CD has not compared it since the push');
  });
});

describe('a push that changes only some pools of a guarded Application', () => {
  function withInfra(options: LabOptions = {}): GuardLab {
    const lab = guardLab(options);
    const machineConfigSelector = { matchLabels: { [role]: 'infra' } };
    const target = { name: 'rendered-infra-aaa', sources: ['99-infra-ntp'] };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', machineConfigSelector, target, current: target }));
    const [ssh] = anApplication().resources;
    if (ssh !== undefined) lab.world.argocd.change('nodes', { resources: [ssh, { ...ssh, name: '99-infra-ntp' }] });
    return lab;
  }

  test('[N-6] pauses the others too as soon as Argo CD has compared, and its guard opens', async () => {
    const lab = withInfra();
    await lab.tick();
    await pushOfConfigs(lab, ['infra']);
    const held = ['worker', 'infra'].map((pool) => isHeld(lab, pool));
    lab.looks(commitB);
    await lab.pass(61);
    for (const pool of ['worker', 'infra']) lab.confirms(pool);
    await lab.pass(30);

    expect(held).toEqual([false, true]);
    expect(lab.guard()?.pools.toSorted()).toEqual(['infra', 'worker']);
    expect(lab.isClosed()).toBe(false);
    expect(lab.looks(commitB)).toBe(true);
  });

  test('[N-6] holds a pool no longer because another one cannot be held', async () => {
    const lab = withInfra({ policy: { whenRolling: 'refuse' } });
    const target = { ...lab.pool().target, name: 'rendered-worker-bbb' };
    lab.world.pools.change('worker', 'mco', {
      target,
      counts: { machines: 3, updated: 1, ready: 2, unavailable: 1, degraded: 0 },
    });
    await lab.tick();
    await pushOfConfigs(lab, ['infra']);
    lab.looks(commitB);
    await lab.pass(61);
    const until = () => lab.record('infra')?.holds.find(({ id }) => id === nodesHold)?.until;
    const before = until();
    await lab.pass(300);

    expect([isHeld(lab, 'worker'), isHeld(lab, 'infra')]).toEqual([false, true]);
    expect(until()).toBe(before);
  });
});

describe('a guarded Application whose sync has failed', () => {
  async function failed(): Promise<GuardLab> {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
    lab.looks(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Failed');
    await lab.deliver(lab.operationOf('Failed'));
    return lab;
  }

  const phase = (lab: GuardLab) => lab.record()?.holds.find(({ id }) => id === nodesHold)?.phase;

  test('[N-6] is let through for the commit that mends it, though no webhook brought that', async () => {
    const lab = await failed();
    await lab.pass(120);
    const before = [phase(lab), lab.isClosed()];
    lab.looks(commitC);
    await lab.pass(62);
    const found = [phase(lab), lab.isClosed()];
    const isSyncing = lab.looks(commitC);
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(before).toEqual(['failed', true]);
    expect([found, isSyncing]).toEqual([['expected', false], true]);
    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] is failed again when no sync of that commit comes, and is not tried again at once', async () => {
    const lab = await failed();
    lab.looks(commitC);
    await lab.pass(1500);

    expect([phase(lab), lab.isClosed()]).toEqual(['failed', true]);
  });

  test('[N-6] is not let through for the commit that failed', async () => {
    const lab = await failed();
    await lab.pass(600);

    expect([phase(lab), lab.isClosed()]).toEqual(['failed', true]);
  });

  test('[N-6] is to be synced by hand on the object, because Argo CD refuses a sync of its own API', async () => {
    const lab = await failed();
    await lab.pass(300);
    const text = JSON.stringify(lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-failed'));

    expect(text).toContain('oc -n openshift-gitops patch applications.argoproj.io nodes --type json');
    expect(text).not.toContain('argocd app sync');
  });
});

describe('a guard that was open, and no sync came', () => {
  test('[N-6] is not what is said of one that a sync went through which had waited for it', async () => {
    const lab = guardLab();
    lab.world.argocd.change('nodes', { selfHeal: true });
    await lab.tick();
    lab.asksFor(commitB, { partial: true });
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(10);
    lab.confirms();
    await lab.pass(5);
    const wasLetThrough = lab.looks(commitB);
    await lab.pass(30);
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
    await lab.deliver(lab.operationOf('Succeeded'));
    const tried = lab.guard()?.tried;
    await lab.pass(120);
    lab.confirms();
    await lab.pass(5);

    expect(wasLetThrough).toBe(true);
    expect(tried).toBeUndefined();
    expect(lab.isClosed()).toBe(false);
  });

  /** A push that concerns nothing of the Application: Argo CD has compared it, and it is Synced. */
  async function synced(): Promise<GuardLab> {
    const lab = guardLab();
    lab.world.argocd.change('nodes', { selfHeal: true });
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
    const reconciledAt = new Date(lab.world.clock.now().getTime() + 1000).toISOString();
    lab.world.argocd.change('nodes', {
      annotations: {},
      reconciledAt,
      sync: { status: 'Synced', revisions: [commitB] },
    });
    await lab.pass(1200);
    return lab;
  }

  const edited = (lab: GuardLab) =>
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });

  test('[N-6] lets self-heal through again if the Application was Synced by then', async () => {
    const lab = await synced();
    const closed = [lab.isClosed(), lab.guard()?.tried];
    edited(lab);
    await lab.pass(62);
    lab.confirms();
    await lab.pass(4);

    expect(closed).toEqual([true, undefined]);
    expect(lab.isClosed()).toBe(false);
  });

  test('[N-6] lets it through again if something else had closed it', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.looks(commitB);
    await lab.pass(62);
    lab.confirms();
    await lab.pass(2);
    const wasOpen = !lab.isClosed();
    const undo = lab.world.faults.failAll(['pools.read']);
    lab.world.pools.change('worker', 'ann', { paused: false });
    await lab.tick();
    undo();

    expect(wasOpen).toBe(true);
    expect([lab.isClosed(), lab.guard()?.tried]).toEqual([true, undefined]);
  });

  test('[N-6] says until when it stays closed for the commits that Argo CD did not sync, and sends no alert', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.looks(commitB);
    await lab.pass(62);
    lab.confirms();
    await lab.pass(1500);
    const until = lab.guard()?.tried?.until;
    const [view] = await lab.ports.views.list();
    await lab.pass(900);

    expect(until).toBeDefined();
    expect(view?.guards?.map(({ about, until: told }) => [about, told])).toEqual([['openshift-gitops/nodes', until]]);
    expect(lab.troubles()).toEqual([]);
  });
});
