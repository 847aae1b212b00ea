import { describe, expect, it } from 'vitest';
import { gateText, targetText } from '../../../../functions/core/sequences/item-text.ts';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import { emptySequenceRecord } from '../../../../functions/core/sequences/record.ts';
import { sequenceView } from '../../../../functions/core/sequences/sequence-view.ts';
import { shownSequence } from '../../../../functions/core/sequences/shown-sequence.ts';
import { lookAt, noon, sequenceOf } from './sequence-builder.ts';

function stepsIn(waves: number, each: number): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: waves * each }, (_, index) => [
      `step-${index}`,
      { kind: 'application', name: `app-${index}`, wave: Math.floor(index / each) },
    ]),
  );
}

const told = { description: undefined, cluster: 'prod', problems: [], now: noon };

describe('what is shown of a large sequence', () => {
  it('[S2-23] of 10,000 steps some hundred are shown, those that are not healthy first, and all are counted', () => {
    const question = lookAt(sequenceOf(stepsIn(10, 1000)), { 'step-0@prod': 'healthy', 'step-999@prod': 'unhealthy' });

    const shown = shownSequence(sequenceView(question), told);

    expect(shown.waves.map(({ items }) => items)).toEqual(Array(10).fill(1000));
    expect(shown.waves.flatMap((wave) => wave.shown)).toHaveLength(300);
    expect(shown.waves[0]).toMatchObject({ healthy: 1, items: 1000 });
    expect(shown.waves[0]?.shown.every(({ state }) => state !== 'healthy')).toBe(true);
    expect(JSON.stringify(shown).length).toBeLessThan(200_000);
  });

  it('[S2-23] of 500 waves the open one and those around it are shown, and the rest is counted', () => {
    const healthy = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`step-${index}@prod`, 'healthy']));
    const question = lookAt(sequenceOf(stepsIn(500, 1)), healthy as Record<string, 'healthy'>);

    const shown = shownSequence(sequenceView(question), told);

    expect(shown.wave).toBe(200);
    expect(shown.waves.map(({ wave }) => wave)).toEqual(Array.from({ length: 60 }, (_, index) => 195 + index));
    expect(shown.wavesOmitted).toBe(440);
  });
});

it('[S2-15] [S2-23] what holds an Application back is named, and what it waits for', () => {
  const steps = {
    storage: { kind: 'application', name: 'storage', wave: 5 },
    web: { kind: 'application', name: 'web', wave: 10 },
  };
  const held = { cluster: 'prod', namespace: 'openshift-gitops', project: 'shops', application: 'web' };
  const question = lookAt(
    sequenceOf(steps),
    { 'storage@prod': 'unhealthy' },
    { record: { ...emptySequenceRecord, held: { 'web@prod': held } } },
  );

  const [, second] = sequenceView(question).waves;

  expect(second?.items).toMatchObject([
    {
      what: 'Application openshift-gitops/web',
      why: 'wave 5 is not healthy; a deny window in AppProject openshift-gitops/shops holds it',
      waitsFor: ['storage@prod'],
    },
  ]);
});

describe('steps and gates in words', () => {
  const texts = (step: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const { steps, gates } = planOf('virt', sequenceOf({ it: { wave: 0, ...step } }, more));
    return [...steps.map(({ target }) => targetText(target)), ...gates.map(gateText)];
  };

  it.each([
    [{ kind: 'application', name: 'web' }, ['Application openshift-gitops/web']],
    [{ kind: 'subscription', name: 'odf', namespace: 'storage' }, ['Subscription storage/odf']],
    [{ kind: 'subscription', name: 'odf', olm: 'v1' }, ['ClusterExtension odf']],
    [{ kind: 'pool', name: 'worker' }, ['MachineConfigPool worker']],
    [
      { kind: 'check', waitFor: { preset: 'bound', resourceName: 'data', resourceNamespace: 'shop' } },
      ['check', 'persistentvolumeclaims shop/data with status.phase Bound'],
    ],
    [
      {
        kind: 'check',
        waitFor: { any: [{ resourceType: 'sc', resourceName: 'a' }, { http: { url: 'https://x.example/' } }] },
      },
      ['check', 'sc a, or an answer over HTTP'],
    ],
    [
      {
        kind: 'check',
        waitFor: {
          resourceType: 'csv',
          condition: { type: 'Ready' },
          version: { atLeast: '4.17' },
          count: { atMost: 3 },
        },
      },
      ['check', 'at least one csv with condition Ready True, version 4.17 at least, at most 3'],
    ],
    [
      { kind: 'check', waitFor: { image: 'registry.example.com/a/check:1', command: ['true'] } },
      ['check', 'a Job of registry.example.com/a/check:1'],
    ],
  ])('[S2-23] %j', (step, expected) => {
    expect(texts(step)).toEqual(expected);
  });

  it('[S2-23] an object by its kind and name', () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } };

    expect(texts({ kind: 'object', object: 'map' }, { extraObjects: { map: manifest } })).toEqual(['ConfigMap b/a']);
  });
});
