import { describe, expect, test } from 'vitest';
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
