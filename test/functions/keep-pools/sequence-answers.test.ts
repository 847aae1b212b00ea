import { describe, expect, it } from 'vitest';
import { type SequenceLab, sequenceLab } from './sequence-lab.ts';

const home = '/apis/operators.coreos.com/v1alpha1/namespaces/cnv/subscriptions';

function subscription(name: string) {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace: 'cnv' },
    spec: { channel: 'stable' },
  };
}

/** Two objects, which nothing keeps from being applied at once. */
function twoObjects() {
  return sequenceLab(
    { first: { kind: 'object', object: 'first' }, second: { kind: 'object', object: 'second' } },
    { extraObjects: { first: subscription('first'), second: subscription('second') } },
  );
}

describe('an API server that answers 500 for one object', () => {
  it('[S2-18] [N-30] does not count as gone: what was applied before it is known as ours', async () => {
    const lab = twoObjects();
    lab.prod.failing.set(`applying ${home}/second`, 500);

    await lab.tick();

    expect(lab.prod.objects.has(`${home}/first`)).toBe(true);
    expect(lab.record().items['first@prod']?.made?.uid).toBe('uid-1');
  });

  it('[S2-18] [N-30] keeps no other sequence from being looked at', async () => {
    const lab = twoObjects();
    const each = (name: string) => ({
      steps: { object: { kind: 'object', object: name } },
      extraObjects: { [name]: subscription(name) },
    });
    lab.configureAll({ one: each('one'), two: each('two'), three: each('three') });
    lab.prod.failing.set(`applying ${home}`, 500);

    await lab.tick();

    expect([...lab.prod.records.keys()].toSorted()).toEqual(
      ['one', 'three', 'two'].map((each) => `poolkeeper/${each}`),
    );
  });
});

describe('a cluster that is gone after the first of two objects', () => {
  it('[S2-18] [N-30] has the first one recorded as ours all the same', async () => {
    const lab = twoObjects();
    lab.prod.failing.set(`applying ${home}/second`, 'unreachable');

    await lab.tick();

    expect(lab.record().items['first@prod']?.made?.uid).toBe('uid-1');
  });
});

async function ticks(count: number, { tick }: SequenceLab): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick();
}

describe('a sequence that cannot be kept', () => {
  it('[S2-19] [N-30] is told after five minutes without its record, and no longer when the record is read', async () => {
    const lab = twoObjects();
    lab.prod.failing.set('records', 'unreachable');

    await ticks(5, lab);
    expect(lab.lab.troubles()).toEqual([]);
    await ticks(1, lab);
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);

    lab.prod.failing.clear();
    await ticks(2, lab);
    expect(lab.record().done).toBeDefined();
    expect(lab.lab.troubles()).toEqual([]);
  });

  it('[S2-19] [N-30] is told of a step that the API server has not been able to apply for five minutes', async () => {
    const lab = twoObjects();
    lab.prod.failing.set(`applying ${home}/second`, 500);

    await ticks(5, lab);
    expect(lab.lab.troubles()).toEqual([]);
    await ticks(1, lab);
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-19] [N-30] is told with what was found before an Application could not be read', async () => {
    const argo = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
    const lab = sequenceLab({
      check: { kind: 'check', waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
      nodes: { kind: 'application', name: 'nodes', wave: 10 },
    });
    lab.prod.failing.set('/apis/storage.k8s.io/v1/storageclasses', 'forbidden');
    lab.prod.failing.set(`${argo}/applications/nodes`, 'unreachable');

    await ticks(1, lab);

    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);
  });
});

describe('an aggregated API whose server is away', () => {
  it.each(['abort', 'proceed'] as const)(
    '[S2-10] [S2-19] fails and passes no gate that asks for it: %s',
    async (onTimeout) => {
      const waitFor = {
        resourceType: 'deploy',
        resourceName: 'db',
        resourceNamespace: 'shop',
        timeoutSeconds: 600,
        onTimeout,
      };
      const lab = sequenceLab(
        {
          first: { kind: 'object', object: 'first' },
          wait: { kind: 'check', wave: 1, waitFor },
          second: { kind: 'object', object: 'second', wave: 2 },
        },
        { extraObjects: { first: subscription('first'), second: subscription('second') } },
      );
      await ticks(2, lab);
      lab.prod.stale.add('apps');

      await ticks(30, lab);

      expect(lab.record().aborted).toBeUndefined();
      expect(lab.record().items['wait@prod/waitFor']).toMatchObject({ state: 'unseen' });
      expect([lab.prod.objects.has(`${home}/first`), lab.prod.objects.has(`${home}/second`)]).toEqual([true, false]);
      expect(lab.lab.troubles()).toEqual(['sequence-stuck']);
    },
  );

  it('[S2-12] [S2-19] does not make an object that was applied one that is not there', async () => {
    const lab = twoObjects();
    await ticks(2, lab);
    const { done } = lab.record();
    lab.prod.stale.add('operators.coreos.com');
    lab.configure({});

    await ticks(12, lab);

    expect(done).toBeDefined();
    expect(lab.record().items['first@prod']).toMatchObject({ state: 'unseen' });
  });
});

describe('a sequence that takes all the time of each look', () => {
  it('[S2-15] [N-30] does not keep what a removed one left from being taken away', async () => {
    const sc = { check: { kind: 'check', waitFor: { resourceType: 'sc', resourceName: 'ceph' } } };
    const lab = twoObjects();
    lab.configureAll({ removed: { steps: sc }, slow: { steps: sc } });
    await ticks(1, lab);
    expect(lab.prod.records.has('poolkeeper/removed')).toBe(true);
    lab.configureAll({ slow: { steps: sc } });
    const { clock } = lab.lab.world;
    const { reader } = lab.prod.ports;
    const { read } = reader;
    Object.assign(reader, {
      read: (...asked: Parameters<typeof read>) => {
        clock.set(new Date(clock.now().getTime() + 16_000));
        return read(...asked);
      },
    });

    await ticks(4, lab);

    expect(lab.prod.records.has('poolkeeper/removed')).toBe(false);
  });
});
