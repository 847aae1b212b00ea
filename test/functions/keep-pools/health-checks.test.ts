import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { HealthCheck, HealthCheckAction } from '../../../functions/core/openshift/health-checks.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { HealthChecks } from '../../../functions/ports/cluster.ts';
import { commitB, type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

interface Checks extends HealthChecks {
  check: HealthCheck;
  lists: number;
  forbidden: boolean;
}

/** One MachineHealthCheck that watches every machine. */
function oneCheck(): Checks {
  const checks: Checks = {
    check: {
      namespace: 'openshift-machine-api',
      name: 'workers',
      resourceVersion: '1',
      selector: {},
      paused: false,
      record: { kind: 'none' },
    },
    lists: 0,
    forbidden: false,
    async listHealthChecks() {
      checks.lists += 1;
      if (checks.forbidden) throw new Transient('machinehealthchecks is forbidden');
      return { items: [checks.check], unreadable: [] };
    },
    async listMachines() {
      return {
        items: [1, 2, 3].map((each) => ({ id: `openshift-machine-api/m-${each}`, labels: {} })),
        unreadable: [],
      };
    },
    async patchHealthCheck(_check, action) {
      checks.check = after(checks.check, action);
    },
  };
  return checks;
}

function after(check: HealthCheck, action: HealthCheckAction): HealthCheck {
  return {
    ...check,
    resourceVersion: `${Number(check.resourceVersion) + 1}`,
    paused: action.kind === 'pause',
    record: action.kind === 'release' ? { kind: 'none' } : { kind: 'record', record: action.record },
  };
}

interface Lab {
  readonly lab: KeepLab;
  readonly checks: Checks;
  tick(): Promise<void>;
}

function labWith(pauseMachineHealthChecks: boolean): Lab {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, pauseMachineHealthChecks } } });
  for (const each of [1, 2, 3])
    lab.world.pools.changeNode(`worker-${each}`, { machine: `openshift-machine-api/m-${each}` });
  const checks = oneCheck();
  const ports: KeepPorts = {
    ...lab.ports,
    cluster: async (name) => ({ ...(await lab.ports.cluster(name)), healthChecks: checks }),
  };
  return { lab, checks, tick: () => keep(tickOf(lab.world.clock.now()), ports) };
}

/** A push, its sync and its render; the next tick resumes. */
async function synced({ lab }: Lab): Promise<void> {
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  lab.world.pools.change('worker', 'machine-config-controller', { target: next });
  lab.ends('Succeeded');
  await lab.deliver(lab.operationOf('Succeeded'));
  lab.world.clock.advance(60);
}

function arrive({ lab }: Lab): void {
  lab.world.pools.change('worker', 'machine-config-controller', { current: next });
}

describe('[S3-13] pauseMachineHealthChecks', () => {
  test('pauses them in the very pass that resumes the pool, lets them go when its nodes have arrived, and says both', async () => {
    const scene = labWith(true);
    await synced(scene);

    await scene.tick();
    const rolling = { ...scene.checks.check };
    arrive(scene);
    await scene.tick();

    expect(scene.lab.pool().paused).toBe(false);
    expect(rolling).toMatchObject({ paused: true, record: { record: { pools: ['worker'] } } });
    expect(scene.checks.check).toMatchObject({ paused: false, record: { kind: 'none' } });
    const texts = (await scene.lab.world.tables.timeline.latest(20)).map(({ text }) => text);
    expect(texts).toContain(
      'MachineHealthCheck workers is paused: the nodes of pool worker drain and reboot as planned',
    );
    expect(texts).toContain(
      'MachineHealthCheck workers watches its machines again: the nodes of pool worker have arrived',
    );
  });

  test('is asked for: by default nobody looks at them', async () => {
    const scene = labWith(false);
    await synced(scene);

    await scene.tick();

    expect(scene.checks).toMatchObject({ lists: 0, check: { paused: false } });
  });

  test('costs nothing at rest', async () => {
    const scene = labWith(true);
    await scene.tick();
    scene.checks.lists = 0;

    await scene.tick();
    await scene.tick();

    expect(scene.checks.lists).toBe(0);
  });

  test('a pause that a dead process left behind is found and taken away', async () => {
    const scene = labWith(true);
    const record = { v: 1 as const, pools: ['worker'], since: '2026-03-02T09:00:00.000Z' };
    scene.checks.check = { ...scene.checks.check, paused: true, record: { kind: 'record', record } };

    await scene.tick();

    expect(scene.checks.check).toMatchObject({ paused: false, record: { kind: 'none' } });
  });

  test('nodes on their way behind a new pause keep it until they have arrived', async () => {
    const scene = labWith(true);
    await synced(scene);
    await scene.tick();
    scene.lab.world.pools.changeNode('worker-1', { desiredConfig: next.name, state: 'Working' });
    await scene.tick();

    scene.lab.world.pools.change('worker', 'oc', {
      paused: true,
      counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 0 },
    });
    await scene.tick();
    const behind = scene.checks.check.paused;
    scene.lab.world.pools.changeNode('worker-1', { currentConfig: next.name, state: 'Done' });
    await scene.tick();

    expect(behind).toBe(true);
    expect(scene.checks.check.paused).toBe(false);
  });

  test('nodes that cannot be read are not taken for arrived: the check is not let go in the middle of the rollout', async () => {
    const scene = labWith(true);
    await synced(scene);
    await scene.tick();

    const mend = scene.lab.world.faults.failAll(['pools.nodes']);
    await scene.tick();
    const blind = scene.checks.check;
    mend();
    arrive(scene);
    await scene.tick();

    expect(blind).toMatchObject({ paused: true, resourceVersion: '2' });
    expect(scene.checks.check).toMatchObject({ paused: false, record: { kind: 'none' } });
  });

  test('without the right to it the pool resumes all the same', async () => {
    const scene = labWith(true);
    scene.checks.forbidden = true;
    await synced(scene);

    await scene.tick();

    expect(scene.lab.pool().paused).toBe(false);
    expect(scene.checks.check.paused).toBe(false);
  });
});
