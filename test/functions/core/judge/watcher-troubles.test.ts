import { describe, expect, test } from 'vitest';
import { inhibitorOf } from '../../../../functions/core/alerts/inhibit.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import type { JudgeInput } from '../../../../functions/core/judge/input.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { type UnreadableObject, unreadableNow } from '../../../../functions/core/judge/unreadable-objects.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { fc } from '../../../property.ts';
import { aJudgeInput } from './a-judge-input.ts';

const now = '2026-03-02T10:00:00.000Z';

function judged(change: Partial<JudgeInput>) {
  const seenNow = { breakGlass: seen([]), lastGoodReadAt: now, sweep: { since: now, triedUntil: now } };
  return judge(aJudgeInput({ now: new Date(now), ...seenNow, ...change }));
}

function broken(kind: string, name: string, namespace = 'tenant'): UnreadableObject {
  return { kind, namespace, name, why: 'cannot be parsed at spec.source', since: '2026-03-02T09:00:00.000Z' };
}

const brokenPool = (name: string) => broken('MachineConfigPool', name, '');

describe('objects that cannot be parsed', () => {
  test('[N-30] one is named with its field, and how to look at it', () => {
    const { troubles } = judged({ unreadable: [broken('Application', 'web')] });

    expect(troubles).toMatchObject([
      {
        key: { cluster: 'prod', pool: '*', kind: 'objects-unreadable' },
        severity: 'warning',
        headline: 'Application tenant/web cannot be parsed',
        since: '2026-03-02T09:00:00.000Z',
        findings: [
          {
            code: 'B2',
            subject: { kind: 'Application', namespace: 'tenant', name: 'web' },
            remedies: [{ command: 'oc get applications.argoproj.io web -n tenant -o yaml' }],
          },
        ],
      },
    ]);
    expect(troubles[0]?.findings[0]?.sentence).toMatch(/^Application tenant\/web cannot be parsed at spec\.source\. /);
  });

  test('[N-30] of many, three are named and the others counted', () => {
    const { troubles } = judged({
      unreadable: Array.from({ length: 9 }, (_, index) => broken('Application', `a${index}`)),
    });

    expect(troubles.map(({ headline }) => headline)).toEqual(['9 objects cannot be parsed']);
    expect(troubles[0]?.findings[0]?.sentence).toContain('a2 cannot be parsed at spec.source. So it is with 6 more. ');
    expect(troubles[0]?.findings[0]?.sentence).not.toContain('a3');
    expect(troubles[0]?.findings[0]?.evidence).toHaveLength(3);
  });

  test('[S0-3] [N-30] a kind that cannot be read is told as late as a cluster, with the right that is missing, beside what cannot be parsed', () => {
    const unread = (why: string, since: string): UnreadableObject => ({
      ...broken('MachineConfig', '*', ''),
      why: `GET machineconfigs: ${why}`,
      since,
    });
    const all = [unread('403, may not list', '2026-03-02T09:55:00.000Z'), broken('Application', 'web')];

    const { troubles } = judged({ unreadable: all });
    const early = judged({ unreadable: [unread('403', now)] });
    const unanswered = judged({ unreadable: [unread('no answer', '2026-03-02T09:55:00.000Z')] });

    expect(troubles).toMatchObject([
      {
        key: { cluster: 'prod', pool: '*', kind: 'objects-unreadable' },
        severity: 'high',
        headline: 'MachineConfigs cannot be read',
        findings: [{ code: 'B5' }, { code: 'B2', subject: { name: 'web' } }],
      },
    ]);
    expect(troubles[0]?.findings[0]?.remedies[0]?.title).toBe(
      'Let the account of Poolkeeper get and list MachineConfigs: run poolkeeper connect again, as the cluster was connected',
    );
    expect(early.troubles).toEqual([]);
    expect(unanswered.troubles[0]?.findings[0]?.remedies[0]?.title).toContain('Check the API server');
  });

  test('[N-30] each pool is an incident of its own, and none of its other incidents is resolved meanwhile', () => {
    const { troubles, unseen } = judged({ unreadable: [brokenPool('infra'), broken('Application', 'web')] });

    expect(troubles.map(({ key, severity }) => [key.pool, severity])).toEqual([
      ['infra', 'high'],
      ['*', 'warning'],
    ]);
    expect(troubles[0]?.findings).toMatchObject([{ code: 'B4', subject: { name: 'infra' } }]);
    const ofPool = (pool: string) => isInBlindSpot(unseen, { cluster: 'prod', pool, kind: 'paused-too-long' });
    expect([ofPool('infra'), ofPool('worker')]).toEqual([true, false]);
  });

  test('[N-30] none of them keeps an alert of another incident from being sent', () => {
    const { troubles } = judged({
      unreadable: [brokenPool('infra'), broken('Application', 'web')],
      sweep: { since: '2026-03-02T01:00:00.000Z', triedUntil: now },
    });
    const open = troubles.map(({ key }) => key);

    expect(open).toHaveLength(3);
    expect(inhibitorOf({ cluster: 'prod', pool: 'worker', kind: 'drain-blocked' }, open)).toBeUndefined();
  });

  test('[N-30] however many Applications are broken, broken pools and nodes are remembered', () => {
    const item = fc.record({
      kind: fc.constantFrom('Application', 'ApplicationSet', 'Node', 'MachineConfigPool'),
      namespace: fc.constantFrom('a', 'b'),
      name: fc.string({ maxLength: 12 }),
      why: fc.string({ maxLength: 3_000 }),
    });
    const kinds = fc.subarray(['Application', 'ApplicationSet', 'Node', 'MachineConfigPool']);

    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 120 }),
        fc.array(item, { maxLength: 30 }),
        kinds,
        (strangers, more, complete) => {
          const ours = strangers.filter(({ kind }) => kind === 'Node' || kind === 'MachineConfigPool').slice(0, 20);
          const theirs = strangers.filter(({ kind }) => kind === 'Application' || kind === 'ApplicationSet');
          const all = new Set(['Application', 'ApplicationSet', 'Node', 'MachineConfigPool']);
          const first = unreadableNow([], { complete: all, items: [...theirs, ...ours] }, new Date(now));
          const later = new Date('2026-03-02T11:00:00.000Z');
          const next = unreadableNow(first, { complete: new Set(complete), items: more }, later);
          const same = unreadableNow(first, { complete: all, items: [...theirs, ...ours] }, later);

          expect(same).toEqual(first);
          for (const { kind, name } of ours) expect(first).toContainEqual(expect.objectContaining({ kind, name }));
          expect(JSON.stringify(first).length).toBeLessThan(100_000);
          for (const each of next)
            expect(!complete.includes(each.kind) || more.some(({ name }) => name === each.name)).toBe(true);
        },
      ),
    );
  });
});

describe('the last list of all Applications', () => {
  const every = defaultPolicy.sweepEverySeconds;
  const ago = (seconds: number) => new Date(Date.parse(now) - seconds * 1000).toISOString();
  const overdue = (sweep: JudgeInput['sweep']) => judged({ sweep }).troubles;

  test.each([
    ['three intervals old', { since: ago(3 * every), triedUntil: now }, 0],
    ['older', { since: ago(3 * every + 1), triedUntil: now }, 1],
    ['older, but no tick has tried since', { since: ago(9 * every), triedUntil: ago(8 * every) }, 0],
    ['older, and was when the last tick tried', { since: ago(9 * every), triedUntil: ago(5 * every) }, 1],
    ['not due yet', { since: undefined, triedUntil: now }, 0],
    ['not known to have been tried', { since: ago(9 * every), triedUntil: undefined }, 0],
  ])('[S0-16] %s: %j', (_what, sweep, expected) => {
    expect(overdue(sweep)).toHaveLength(expected);
  });

  test('[S0-16] is said to be too old with its time and the reason', () => {
    const [trouble] = overdue({ since: ago(5 * every), triedUntil: now, why: 'hub: 403, forbidden.' });

    expect(trouble).toMatchObject({
      key: { cluster: 'prod', pool: '*', kind: 'sweep-overdue' },
      severity: 'high',
      since: ago(5 * every),
      findings: [{ code: 'B3' }],
    });
    expect(trouble?.findings[0]?.sentence).toContain('every 5 min');
    expect(trouble?.findings[0]?.sentence).toContain('3 times that: hub: 403, forbidden. Until');
  });

  test('[S0-16] sweeps every second are tried once a minute', () => {
    const policy = { ...defaultPolicy, sweepEverySeconds: 1 };
    const at = (seconds: number) => judged({ policy, sweep: { since: ago(seconds), triedUntil: now } }).troubles;

    expect([at(180).length, at(181).length]).toEqual([0, 1]);
  });

  test('[N-30] is not judged by passes between the ticks, and neither is what only ticks find', () => {
    const judgement = judged({ unreadable: [], sweep: undefined });
    const isUnseen = (kind: TroubleKind) => isInBlindSpot(judgement.unseen, { cluster: 'prod', pool: '*', kind });

    expect(judgement.troubles).toEqual([]);
    expect([isUnseen('sweep-overdue'), isUnseen('objects-unreadable'), isUnseen('no-progress')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a cluster that cannot be read', () => {
  const path = 'GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools';

  test.each([
    ['404, the server could not find the requested resource', true],
    ['403, forbidden', false],
    ['no answer within 10 s', false],
  ])('[N-24] because of %s: that it may have no pools at all is said: %s', (why, isSaid) => {
    const { troubles } = judged({ pools: unreadable(`${path}: ${why}`), misses: 5 });

    const titles = troubles.flatMap(({ findings }) => findings).flatMap(({ remedies }) => remedies);
    expect(titles.some(({ title }) => title.includes('hosted control plane'))).toBe(isSaid);
    expect(titles.at(-1)?.title).toContain('Check the API server');
  });

  test.each([
    ['401, Unauthorized', true],
    ['no answer within 10 s', false],
  ])('[N-24] because of %s: that it has to be connected again is said: %s', (why, isSaid) => {
    const { troubles } = judged({ pools: unreadable(`${path}: ${why}`), misses: 5 });

    const titles = troubles.flatMap(({ findings }) => findings).flatMap(({ remedies }) => remedies);
    expect(titles.some(({ title }) => title.includes('poolkeeper connect'))).toBe(isSaid);
  });
});
