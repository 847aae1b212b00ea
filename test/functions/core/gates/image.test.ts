import { describe, expect, test } from 'vitest';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { image } from '../../../../functions/core/gates/image.ts';
import type { ImageBuild, ImageConfig, PoolImages } from '../../../../functions/core/openshift/image-build.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aCondition, anImageBuild, anImageConfig, aPool } from '../../../fakes/index.ts';
import { aGateQuestion } from './a-gate-question.ts';

const pool = aPool({ paused: true, target: { name: 'rendered-worker-bbb', sources: [] } });

/** At 10:00. */
function ask(
  configs: readonly ImageConfig[],
  builds: readonly ImageBuild[] = [],
  { unreadable = [], ...change }: Partial<GateQuestion> & Partial<Pick<PoolImages, 'unreadable'>> = {},
) {
  const images = seen({ kind: 'listed' as const, configs, builds, unreadable, isServed: true });
  return image.ask(aGateQuestion({ pool, evidence: { ...noEvidence, images }, ...change }));
}

const built = anImageBuild({ config: 'rendered-worker-bbb' });

describe('[N-30] [N-17] the gate image', () => {
  test.each([
    ['of a pool that has no images', [], []],
    [
      'of another pool, whose image is being built',
      [anImageConfig({ pool: 'gpu' })],
      [{ ...built, state: 'under-way' }],
    ],
    ['whose image is built', [anImageConfig()], [built]],
    [
      'whose current build is the second one of its config',
      [anImageConfig()],
      [{ ...built, name: 'a', state: 'failed' }, built],
    ],
  ] as const)('is open for a pool %s, and says nothing', (_which, configs, builds) => {
    expect(ask(configs, builds)).toEqual({ open: true });
  });

  test('waits for the build of the config that is to be rolled out, and says since when', () => {
    const next = anImageBuild({
      name: 'worker-9a8b',
      config: 'rendered-worker-bbb',
      state: 'under-way',
      createdAt: '2026-03-02T09:50:00Z',
    });

    expect(ask([anImageConfig({ currentBuild: next.name })], [anImageBuild(), next])).toMatchObject({
      open: false,
      why: 'it waits for image build worker-9a8b of MachineOSConfig worker, since 2026-03-02T09:50:00Z',
      how: 'oc describe machineosbuilds worker-9a8b',
    });
  });

  test('goes by the newest build of the config where the MCO calls one of another config current', () => {
    const older = anImageBuild({ name: 'worker-0', config: 'rendered-worker-bbb', createdAt: '2026-02-01T00:00:00Z' });
    const newer = { ...older, name: 'worker-9', state: 'under-way' as const, createdAt: '2026-03-02T09:50:00Z' };

    expect(ask([anImageConfig()], [older, anImageBuild(), newer])).toMatchObject({
      why: expect.stringContaining('image build worker-9 '),
    });
  });

  test('waits for a newer build of the same config whose job has not begun, before the MCO calls it current', () => {
    const newer = anImageBuild({ ...built, name: 'worker-9', state: 'under-way', createdAt: '2026-03-02T09:00:00Z' });

    expect(ask([anImageConfig()], [built, newer])).toMatchObject({
      why: expect.stringContaining('image build worker-9 '),
    });
  });

  test('does not wait for an older one that nobody goes on with', () => {
    const older = anImageBuild({ ...built, name: 'worker-0', state: 'under-way', createdAt: '2026-02-01T00:00:00Z' });

    expect(ask([anImageConfig()], [older, built])).toEqual({ open: true });
  });

  test('waits for a build that has not begun: without one nothing rolls out', () => {
    expect(ask([anImageConfig()], [anImageBuild()])).toMatchObject({
      open: false,
      why: 'no image build of MachineOSConfig worker for rendered-worker-bbb has begun yet',
      who: 'the Machine Config Operator, by itself',
    });
  });

  test('names a degraded pool, for which the MCO begins none', () => {
    const degraded = { ...pool, conditions: [aCondition({ type: 'NodeDegraded', status: 'True' })] };

    expect(ask([anImageConfig()], [], { pool: degraded })).toMatchObject({
      why: expect.stringContaining('none begins while the pool is degraded'),
      who: 'whoever can mend pool worker',
    });
  });

  test.each(['failed', 'interrupted'] as const)(
    'is open for a build that has %s, which rolls nothing out, and warns of the next one',
    (state) => {
      expect(ask([anImageConfig()], [{ ...built, state }])).toMatchObject({
        open: true,
        warning: expect.stringContaining(
          'nothing rolls out until another has succeeded, and then it does so by itself',
        ),
      });
    },
  );

  test('is open, with a warning, where one cannot be parsed and none is known to be under way', () => {
    const unreadable = [{ kind: 'MachineOSConfig', namespace: '', name: 'odd', why: 'cannot be parsed at spec' }];

    expect(ask([], [], { unreadable })).toEqual({
      open: true,
      warning:
        'whether an image is being built for it (image mode) is not known: MachineOSConfig odd cannot be parsed at spec',
    });
    expect(ask([anImageConfig()], [{ ...built, state: 'under-way' }], { unreadable }).open).toBe(false);
  });

  test('waits until the pool can say which nodes need a new image', () => {
    const now = new Date('2026-03-02T10:00:00Z');

    expect(ask([anImageConfig()], [{ ...built, endedAt: '2026-03-02T09:59:50Z' }], { now })).toMatchObject({
      open: false,
      opensAt: '2026-03-02T10:00:05.000Z',
    });
    expect(ask([anImageConfig()], [{ ...built, endedAt: '2026-03-02T09:59:45Z' }], { now })).toEqual({ open: true });
  });

  describe('what is asked for and not taken up', () => {
    const asked = (at: string | undefined) => anImageConfig({ asked: { what: 'change' as const, at } });

    test('is waited for, for five minutes from when it was written', () => {
      expect(ask([asked('2026-03-02T09:56:00Z')], [built])).toMatchObject({
        open: false,
        why: 'no image build for the last change of MachineOSConfig worker has begun yet',
        opensAt: '2026-03-02T10:01:00.000Z',
      });
    });

    test('then no longer, because some releases never say it; but it is told', () => {
      expect(ask([asked('2026-03-02T09:55:00Z')], [built])).toEqual({
        open: true,
        warning:
          'the Machine Config Operator does not say that it has taken up the last change of MachineOSConfig worker: an image that is built later rolls out by itself',
      });
    });

    test('is waited for from when the gate was closed where nobody knows when it was written', () => {
      const closedSince = { image: '2026-03-02T09:54:00Z' };

      expect(ask([asked(undefined)], [built]).open).toBe(false);
      expect(ask([asked(undefined)], [built], { closedSince }).open).toBe(true);
    });

    test('has been taken up where a build is newer', () => {
      const newer = { ...built, createdAt: '2026-03-02T09:56:00Z' };

      expect(ask([asked('2026-03-02T09:56:00Z')], [newer])).toEqual({ open: true });
      expect(ask([asked('2026-03-02T09:56:00Z')], [{ ...newer, state: 'under-way' }])).toMatchObject({
        why: expect.stringContaining('it waits for image build'),
      });
    });

    test('a rebuild as well', () => {
      const rebuild = anImageConfig({ asked: { what: 'rebuild', at: '2026-03-02T09:59:00Z' } });

      expect(ask([rebuild], [built])).toMatchObject({
        why: 'no image build for the rebuild that is asked for in MachineOSConfig worker has begun yet',
      });
    });
  });
});
