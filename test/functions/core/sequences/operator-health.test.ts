import { describe, expect, it } from 'vitest';
import { judgeSequence } from '../../../../functions/core/sequences/judge-sequence.ts';
import { extensionHealth, subscriptionHealth } from '../../../../functions/core/sequences/operator-health.ts';
import { applicationHealth } from '../../../../functions/core/sequences/target-health.ts';
import { anApplication } from '../../../fakes/index.ts';
import { lookAt, minutesAfterNoon, sequenceOf } from './sequence-builder.ts';

type Data = Readonly<Record<string, unknown>>;

const deletionTimestamp = '2026-11-22T12:00:00Z';
const odf = (installedCSV: string, currentCSV = installedCSV, metadata: Data = {}) => ({
  metadata: { name: 'odf-operator', ...metadata },
  status: { installedCSV, currentCSV },
});
const csv = (phase: string, metadata: Data = {}) => ({ metadata: { name: 'odf.v1', ...metadata }, status: { phase } });
const waitingPlan = (...clusterServiceVersionNames: readonly string[]) => ({
  metadata: { name: 'install-x7' },
  spec: { approval: 'Manual', approved: false, clusterServiceVersionNames },
});

describe('an operator of OLM v0', () => {
  it.each([
    ['its Subscription', { subscription: odf('odf.v1', 'odf.v1', { deletionTimestamp }), csv: csv('Succeeded') }],
    ['its ClusterServiceVersion', { subscription: odf('odf.v1'), csv: csv('Succeeded', { deletionTimestamp }) }],
  ])('[S2-11] is not healthy while %s is being deleted', (_, read) => {
    const health = subscriptionHealth(undefined, { ...read, installPlan: undefined });

    expect(health).toMatchObject({ kind: 'unhealthy', value: expect.stringMatching(/is being deleted$/) });
  });

  it('[S2-11] that waits for an approval says what the InstallPlan installs', () => {
    const read = {
      subscription: odf('odf.v1', 'odf.v2'),
      csv: undefined,
      installPlan: waitingPlan('odf.v2', 'mcg.v2'),
    };

    expect(subscriptionHealth(undefined, read).value).toBe(
      'InstallPlan install-x7 waits for somebody to approve it: it installs odf.v2 and mcg.v2',
    );
    expect(subscriptionHealth('odf.v2', read).value).toBe(subscriptionHealth(undefined, read).value);
  });

  it('[S2-11] nobody is asked to approve an InstallPlan that leads past the pinned version', () => {
    const read = { subscription: odf('odf.v1', 'odf.v3'), csv: undefined, installPlan: waitingPlan('odf.v3') };

    expect(subscriptionHealth('odf.v2', read).value).toBe(
      'no InstallPlan brings the pinned odf.v2: install-x7, which waits for an approval, installs odf.v3',
    );
  });

  it.each([
    ['wants another version', subscriptionHealth(undefined, { ...empty(), subscription: odf('odf.v1', 'odf.v2') }), 30],
    ['is being installed', subscriptionHealth(undefined, { ...empty(), csv: csv('Installing') }), 30],
    ['has failed', subscriptionHealth(undefined, { ...empty(), csv: csv('Failed') }), 0],
    ['waits for an approval', subscriptionHealth(undefined, waits()), 0],
  ])(
    '[S2-11] that upgrades by itself is told when it takes too long, a breakdown at once: %s',
    (_, health, minutes) => {
      const steps = { first: { kind: 'subscription', name: 'a', wave: 1 }, second: { kind: 'check', wave: 2 } };
      const sequence = sequenceOf(steps);
      const done = judgeSequence(lookAt(sequence, { 'first@prod': 'healthy', 'second@prod': 'healthy' }));
      const look = (minute: number, { record }: Pick<typeof done, 'record'>) =>
        judgeSequence(
          lookAt(
            sequence,
            { 'first@prod': health, 'second@prod': 'healthy' },
            { record, now: minutesAfterNoon(minute) },
          ),
        );

      const begun = look(5, done);

      expect(begun.problems).toHaveLength(minutes === 0 ? 1 : 0);
      expect(look(34, begun).problems).toHaveLength(minutes === 0 ? 1 : 0);
      expect(look(35, begun).problems.map(({ kind }) => kind)).toEqual(['regression']);
    },
  );
});

function empty() {
  return { subscription: odf('odf.v1'), csv: csv('Succeeded'), installPlan: undefined };
}

function waits() {
  return { ...empty(), subscription: odf('odf.v1', 'odf.v2'), installPlan: waitingPlan('odf.v2') };
}

describe('an operator of OLM v1', () => {
  const extension = (conditions: readonly Data[], metadata: Data = {}) => ({
    metadata: { name: 'odf', generation: 3, ...metadata },
    status: { conditions, install: { bundle: { version: '1.0.0' } } },
  });
  const installed = { type: 'Installed', status: 'True', reason: 'Succeeded', observedGeneration: 3 };
  const progressing = { type: 'Progressing', status: 'True', reason: 'Succeeded', observedGeneration: 3 };

  it('[S2-11] is healthy once what its spec asks for is installed', () => {
    expect(extensionHealth(extension([installed, progressing]))).toEqual({
      kind: 'healthy',
      value: '1.0.0 is installed',
    });
  });

  it.each([
    [
      'is blocked',
      extension([installed, { ...progressing, status: 'False', reason: 'Blocked', message: 'no' }]),
      'Blocked: no',
    ],
    ['shows an earlier spec', extension([installed, { ...progressing, observedGeneration: 2 }]), 'OLM has not looked'],
    ['is being deleted', extension([installed, progressing], { deletionTimestamp }), 'is being deleted'],
  ])('[S2-11] is not healthy in its old version while it %s', (_, found, said) => {
    expect(extensionHealth(found)).toMatchObject({ kind: 'unhealthy', value: expect.stringContaining(said) });
  });
});

it('[S2-11] an Application that is being deleted is not healthy, whatever its status says', () => {
  expect(applicationHealth(anApplication({ isBeingDeleted: true }))).toEqual({
    kind: 'unhealthy',
    value: 'the Application is being deleted',
  });
});
