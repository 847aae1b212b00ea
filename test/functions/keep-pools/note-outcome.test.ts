import { describe, expect, test } from 'vitest';
import { mayPassOn } from '../../../functions/core/relay/may-pass-on.ts';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { fakeArgoCd } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** Argo CDs `hub`, with an Application that the push concerns, and `edge`, with none. */
function twoInstances(lab: KeepLab, argocd: KeepPorts['argocd']) {
  const noted: PushOutcome[] = [];
  const [hub] = lab.ports.configuration.argocd;
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, argocd: hub ? [hub, { ...hub, name: 'edge' }] : [] },
    argocd,
    outcomes: {
      load: async () => undefined,
      save: async (outcome) => void noted.push(outcome),
    },
  };
  return { ports, noted };
}

/** Whether the relay passes it on a second after it came. */
function goesAt({ world, ports }: KeepLab, outcome: PushOutcome | undefined) {
  const [argocd] = ports.configuration.argocd;
  const receivedAt = world.clock.now().toISOString();
  if (argocd === undefined) throw new Error('there is no Argo CD');
  return mayPassOn({
    argocd,
    receivedAt,
    waitAtMostSeconds: 30,
    outcome,
    races: [],
    looks: [],
    now: world.clock.now(),
  });
}

describe('what a push came to, for the relay', () => {
  test('[N-26] says exactly which Argo CD could not be asked, also where no Application of the others is concerned', async () => {
    const lab = keepLab();
    const { ports, noted } = twoInstances(lab, async (name) => {
      if (name === 'hub') throw new Transient('hub is down');
      return fakeArgoCd({ name });
    });

    await expect(keep(lab.pushOf(commitB), ports)).rejects.toThrow('hub is down');

    expect(noted).toMatchObject([{ unasked: ['hub'], paused: [] }]);
  });

  test('[N-26] the pools of the Argo CD that answered are named while the other is down', async () => {
    const lab = keepLab();
    const { ports, noted } = twoInstances(lab, async (name) => {
      if (name === 'edge') throw new Transient('edge is down');
      return lab.world.argocd;
    });

    await expect(keep(lab.pushOf(commitB), ports)).rejects.toThrow('edge is down');

    expect(noted).toMatchObject([{ unasked: ['edge'], paused: [{ pool: 'worker', hold: nodesHold }] }]);
  });

  test('[N-26] an Application that could not be read leaves its Argo CD unasked, though others of it were read', async () => {
    const lab = keepLab();
    const other = { ...lab.world.argocd.get('nodes'), name: 'tuning', uid: 'uid-tuning' };
    lab.world.argocd.put(other);
    await lab.tick();
    const { ports, noted } = twoInstances(lab, async (name) =>
      name === 'edge'
        ? fakeArgoCd({ name })
        : {
            ...lab.world.argocd,
            readApplication: async (ref) => {
              if (ref.name === 'tuning') throw new Transient('timed out');
              return lab.world.argocd.readApplication(ref);
            },
          },
    );

    await expect(keep(lab.pushOf(commitB), ports)).rejects.toThrow('timed out');

    expect(noted).toMatchObject([{ unasked: ['hub'], paused: [{ hold: nodesHold }] }]);
  });

  test.each([
    ['the pool', (lab: KeepLab) => lab.world.pools.spoil('worker')],
    [
      'the record of the pool',
      (lab: KeepLab) => lab.world.pools.put({ ...lab.pool(), record: { kind: 'unreadable', why: 'broken' } }),
    ],
  ])('[N-26] [N-30] where %s cannot be parsed, the push goes at once and is told as late', async (_what, spoil) => {
    const lab = keepLab();
    await lab.tick();
    const { ports, noted } = twoInstances(lab, async () => lab.world.argocd);
    spoil(lab);

    await keep(lab.pushOf(commitB), ports);

    expect(goesAt(lab, noted.at(-1))).toEqual({
      kind: 'go',
      isLate: true,
      why: 'cannot be parsed, so that nothing is paused there: pool prod/worker',
    });
  });

  test('[N-26] [N-30] [C-11] where its Application cannot be parsed, the push is no later for it, and it is said', async () => {
    const lab = keepLab();
    await lab.tick();
    const { ports, noted } = twoInstances(lab, async (name) =>
      name === 'hub' ? lab.world.argocd : fakeArgoCd({ name }),
    );
    lab.world.argocd.spoil('nodes');

    await keep(lab.pushOf(commitB), ports);

    expect(goesAt(lab, noted.at(-1))).toEqual({
      kind: 'go',
      isLate: false,
      why: 'cannot be parsed, so that nothing is paused there: Application openshift-gitops/nodes',
    });
  });

  test('[N-26] [N-30] where its Application may not be read any more, the push goes at once and is told as late', async () => {
    const lab = keepLab();
    await lab.tick();
    const { ports, noted } = twoInstances(lab, async (name) =>
      name === 'edge'
        ? fakeArgoCd({ name })
        : {
            ...lab.world.argocd,
            readApplication: async () => {
              throw new Transient('GET an Application: 403 Forbidden', { kind: 'forbidden' });
            },
          },
    );

    await keep(lab.pushOf(commitB), ports);

    expect(goesAt(lab, noted.at(-1))).toEqual({
      kind: 'go',
      isLate: true,
      why: 'may not be read, so that nothing is paused for it: Application openshift-gitops/nodes',
    });
  });

  test('[N-26] a pool that cannot be parsed makes no push late that reaches no pool', async () => {
    const lab = keepLab();
    await lab.tick();
    const { ports, noted } = twoInstances(lab, async () => lab.world.argocd);
    lab.world.argocd.change('nodes', { resources: [] });
    lab.world.pools.spoil('worker');

    await keep(lab.pushOf(commitB), ports);

    expect(goesAt(lab, noted.at(-1))).toMatchObject({ isLate: false, why: 'no pool needs to be paused for it' });
  });

  test('[N-1] when it cannot be noted, the pools of an Argo CD that answers late are paused before the push is given back', async () => {
    const lab = keepLab();
    const answers = Promise.withResolvers<void>();
    const { ports } = twoInstances(lab, async (name) =>
      name === 'edge'
        ? fakeArgoCd({ name })
        : {
            ...lab.world.argocd,
            listApplications: () => answers.promise.then(() => lab.world.argocd.listApplications()),
          },
    );
    const save = async () => {
      answers.resolve();
      throw new Transient('the table is busy');
    };

    const pushed = keep(lab.pushOf(commitB), {
      ...ports,
      sleep: (ms) => (ms === 1000 ? Promise.resolve() : new Promise(() => {})),
      outcomes: { load: async () => undefined, save },
    });

    await expect(pushed).rejects.toThrow('the table is busy');
    expect(lab.pool().paused).toBe(true);
  });
});
