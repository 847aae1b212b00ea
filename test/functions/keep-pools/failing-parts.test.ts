import { expect, test } from 'vitest';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aMachineConfig } from '../../fakes/index.ts';
import { callsMadeBy, failures, type Watch } from '../failing-calls.ts';
import { applicationOf, degraded, poolOf } from './fleet-lab.ts';
import { guardLab } from './guard-lab.ts';
import { calls } from './keep-calls.ts';
import { commitB, type KeepLab, tickOf } from './keep-lab.ts';
import { sequenceLab } from './sequence-lab.ts';
import { watchedPorts } from './watched-ports.ts';

/** A cluster where a part of the next tick has work, and so have pools that it does not concern. */
interface Scene {
  readonly lab: KeepLab;
  /** A minute passes, and the clock ticks. */
  tick(watch?: Watch): Promise<void>;
  /** What comes of the part. */
  end(): unknown;
}

/** Each tick lists all Applications. */
const policy = { sweepEverySeconds: 60 };
const role = 'machineconfiguration.openshift.io/role';
const classPath = '/apis/storage.k8s.io/v1/storageclasses/fast';

/** A sequence whose first step is done, and whose second is to be applied. */
async function sequenceScene(): Promise<Scene> {
  const metadata = { name: 'settings', namespace: 'shop' };
  const waitFor = { resourceType: 'sc', resourceName: 'fast', timeoutSeconds: 3600 };
  const operator = { kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: 5, waitFor };
  const steps = { storage: operator, settings: { kind: 'object', object: 'settings', wave: 10 } };
  const extraObjects = { settings: { apiVersion: 'v1', kind: 'ConfigMap', metadata, disabled: false } };
  const all = sequenceLab(steps, { extraObjects }, { policy });
  const { lab, prod, record, tick } = all;
  all.installs(prod, 'openshift-storage', 'odf-operator');
  await tick();
  prod.objects.set(classPath, { metadata: { name: 'fast' } });
  return { lab, tick, end: () => [[...prod.objects.keys()], record().done !== undefined] };
}

/** A guard that opens: the pause of its pool is confirmed. */
async function guardScene(): Promise<Scene> {
  const lab = guardLab({ policy });
  const tick = async (watch?: Watch) => {
    lab.world.clock.advance(60);
    lab.compares();
    await keep(tickOf(lab.world.clock.now()), watch === undefined ? lab.ports : watchedPorts(lab.ports, watch));
  };
  await tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  return { lab, tick, end: () => [lab.isClosed(), lab.isAskedToLook(), lab.pool().paused] };
}

const scenes = [
  ['sequences', sequenceScene],
  ['guards', guardScene],
] as const;

/** In the next tick a sync that affects pool gpu has begun, and pool stuck is in trouble. */
async function prepared(make: () => Promise<Scene>): Promise<Scene> {
  const scene = await make();
  const { pools, argocd } = scene.lab.world;
  for (const name of ['gpu', 'stuck']) {
    pools.put(poolOf(name));
    pools.putMachineConfig(aMachineConfig({ name: `99-${name}`, labels: { [role]: name } }));
  }
  pools.change('stuck', 'machine-config-controller', degraded('stuck'));
  argocd.put(applicationOf('gpu'));
  scene.lab.syncs(commitB, {}, 'gpu');
  return scene;
}

/** No line of the log says these: an incident does, where waiting does not help at once, else after five minutes. */
const saidLater: ReadonlySet<string> = new Set(['cluster.writer.apply']);

async function disturbed(make: () => Promise<Scene>, watch: Watch) {
  const scene = await prepared(make);
  await scene.tick(watch).catch(() => undefined);
  const { lab } = scene;
  const kept = { isPaused: lab.pool('gpu').paused, troubles: lab.troubles() };
  const complaints = lab.world.logger.lines.filter(({ level }) => level === 'warn' || level === 'error').length;
  for (let minute = 0; minute < 3; minute += 1) await scene.tick();
  return { kept, end: scene.end(), complaints };
}

test.each(scenes)('[N-30] every call that a tick makes for %s is known', async (what, make) => {
  const made = new Set<string>();
  const { kept } = await disturbed(make, ({ name }) => {
    made.add(name);
    return undefined;
  });

  expect(callsMadeBy(what, calls).filter((name) => !made.has(name))).toEqual([]);
  expect(kept).toEqual({ isPaused: true, troubles: ['render-failed'] });
});

test.each(scenes)('[N-2] [N-30] a call for %s that fails costs no pause and no alert of others', async (what, make) => {
  const whole = await disturbed(make, () => undefined);
  for (const name of callsMadeBy(what, calls))
    for (const [kind, error] of Object.entries(failures)) {
      const found = await disturbed(make, (call) => (call.name === name ? error(name) : undefined));

      // What this part is about may be told besides.
      expect(found.kept.troubles, `${name}: ${kind}`).toEqual(expect.arrayContaining([...whole.kept.troubles]));
      expect(found.kept.isPaused, `${name}: ${kind}`).toBe(true);
      expect(found.end, `${name}: ${kind}`).toEqual(whole.end);
      if (!saidLater.has(name)) expect(found.complaints, `${name}: ${kind}`).toBeGreaterThan(whole.complaints);
    }
});
