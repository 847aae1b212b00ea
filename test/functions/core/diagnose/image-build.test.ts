import { describe, expect, test } from 'vitest';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { kinds, passAfter, the } from '../judge/pass-over.ts';
import { codes, look, withCode } from './look.ts';
import { aPod, aRollingPool, aWorld, type Json, poolSubject, type World } from './world.ts';

const builds = '/apis/machineconfiguration.openshift.io/v1/machineosbuilds';

function failing(words: string): Pool {
  const message = `Failed to build OS image for pool worker (MachineOSBuild: worker-abc): ${words}`;
  return aPool({ conditions: [aCondition({ type: 'ImageBuildDegraded', status: 'True', message })] });
}

function waiting(message: string): Pool {
  return aRollingPool({ conditions: [aCondition({ type: 'Updating', status: 'True', message })] });
}

function withBuild(...conditions: readonly Json[]): World['others'] {
  return { [builds]: [{ metadata: { name: 'worker-abc' }, status: { conditions } }] };
}

function builder(ready: boolean): Json {
  return aPod('machine-os-builder-x', {
    namespace: 'openshift-machine-config-operator',
    labels: { 'k8s-app': 'machine-os-builder' },
    owner: null,
    ready,
  });
}

function explain(pool: Pool, change: Partial<World> = {}) {
  const world = aWorld(change);
  return look(world, poolSubject(world, 'build', pool));
}

describe('[S1-4] an operating system image of an image-mode pool', () => {
  test.each([
    ['L1', 'error building at STEP "RUN dnf install nope": exit status 1', 'structural'],
    ['L2', 'error pushing image: unauthorized: authentication required', 'external'],
    ['L5', 'pod build-worker-abc was evicted', 'external'],
  ])('%s that fails is told by what the build says: %s', async (code, words, class_) => {
    const diagnosis = await explain(failing(words));

    expect(codes(diagnosis)).toEqual([code]);
    expect(withCode(diagnosis, code)).toMatchObject({ class: class_, subject: { name: 'worker-abc' } });
    expect(withCode(diagnosis, code).sentence).toContain('No node is affected.');
  });

  test.each(['Failed: Build Failed', 'build failed for unknown reason', 'Job has reached the specified backoff limit'])(
    'L1 is not blamed on the Containerfile where the text does not say which step failed: %s',
    async (words) => {
      const told = { type: 'Failed', status: 'True', message: 'Build Failed' };

      const diagnosis = await explain(failing(words), { others: withBuild(told) });

      const found = withCode(diagnosis, 'L1');
      expect(found).toMatchObject({ class: 'unknown', confidence: 'possible' });
      expect(found.sentence).toContain('does not say which step failed');
      expect(found.remedies[0]?.command).toContain('logs job/build-worker-abc');
    },
  );

  test.each([
    'building at STEP "RUN dnf install -y kernel-rt-preempt": exit status 1',
    'building at STEP "RUN curl -o /usr/bin/push image": exit status 22',
    'while running runtime: exit status 137: subprocess terminated by signal killed',
    'building at STEP "RUN pull denied: requested access to the resource is denied, node evicted": exit status 1',
  ])('L1 is a step of the Containerfile, whatever words it has: %s', async (words) => {
    const diagnosis = await explain(failing(words));

    expect(withCode(diagnosis, 'L1')).toMatchObject({ class: 'structural', confidence: 'strong' });
  });

  test.each([
    'creating build container: initializing source docker://docker.io/a/b:1: reading manifest 1 in docker.io/a/b: denied: requested access to the resource is denied',
    'creating build container: writing blob: storing blob to file "/var/tmp/storage": no space left on device',
  ])('L1 is no trouble of the push where an image cannot be pulled: %s', async (words) => {
    const found = withCode(await explain(failing(words)), 'L1');

    expect(found.sentence).toContain('that it begins from cannot be pulled');
    expect(found.class).toBe('external');
  });

  test('that fails is told by its MachineOSBuild, which says more than the pool', async () => {
    const words = { type: 'Failed', status: 'True', message: 'error pushing image: quota exceeded' };

    const diagnosis = await explain(failing('BuildFailed'), { others: withBuild(words) });

    expect(withCode(diagnosis, 'L2').sentence).toContain('quota exceeded');
  });

  test('L5 is not built a second time by itself', async () => {
    const diagnosis = await explain(failing('pod build-worker-abc was evicted'));

    expect(withCode(diagnosis, 'L5').remedies[0]).toMatchObject({
      command: 'oc annotate machineosconfigs worker machineconfiguration.openshift.io/rebuild= --overwrite',
      risk: 'low',
    });
  });

  test('L3 whose build was interrupted comes by itself', async () => {
    const words = { type: 'Interrupted', status: 'True', message: 'MachineOSConfig was changed' };

    const diagnosis = await explain(waiting('Pool is waiting for OS image build to complete (mosb: worker-abc)'), {
      others: withBuild(words),
    });

    expect(withCode(diagnosis, 'L3')).toMatchObject({ class: 'self-healing', subject: { name: 'worker-abc' } });
  });

  test('L4 that nobody builds names the builder, and what keeps it from running', async () => {
    const told = waiting('Pool is waiting for a new OS image build to start (mosc: worker)');

    const [absent, sick] = await Promise.all([explain(told), explain(told, { pods: [builder(false)] })]);

    expect(withCode(absent, 'L4').sentence).toContain('the machine-os-builder has no pod');
    expect(withCode(sick, 'L4').sentence).toContain('is not ready');
    expect(withCode(sick, 'L4').sentence).toContain('while a pool is degraded');
  });

  test('L0 that takes its time while the builder runs is not explained away', async () => {
    const diagnosis = await explain(waiting('Pool is waiting for OS image build to complete (mosb: worker-abc)'), {
      pods: [builder(true)],
    });

    expect(withCode(diagnosis, 'L0')).toMatchObject({ class: 'unknown', confidence: 'possible' });
  });

  test('that is built is not waited for behind a pause', async () => {
    const message = 'Pool is paused; OS image build completed successfully (mosb: worker-abc)';
    const updating = aCondition({ type: 'Updating', status: 'False', message });

    const late = await passAfter(95, { pools: [aRollingPool({ paused: true, conditions: [updating] })] });

    expect(kinds(late)).toEqual([]);
  });

  test('that does not come is told after an hour and a half, not before', async () => {
    const pools = [waiting('Pool is waiting for a new OS image build to start (mosc: worker)')];

    const [early, late] = await Promise.all([passAfter(80, { pools }), passAfter(95, { pools })]);

    expect(kinds(early)).toEqual([]);
    expect(kinds(late)).toEqual(['worker/build-failed']);
    expect(the('build-failed', late)).toMatchObject({
      severity: 'warning',
      headline: 'operating system image not built yet',
    });
  });
});
