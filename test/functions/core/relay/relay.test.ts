import { describe, expect, it } from 'vitest';
import type { ArgoCdSettings } from '../../../../functions/core/configuration/argocd.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import type { Race } from '../../../../functions/core/races/race.ts';
import { endpointsFor } from '../../../../functions/core/relay/endpoints.ts';
import { type LastLook, type MayPassOn, mayPassOn } from '../../../../functions/core/relay/may-pass-on.ts';
import { oneHoldPerPool, type PausedForPush, type PushOutcome } from '../../../../functions/core/relay/push-outcome.ts';
import { readAnswer } from '../../../../functions/core/relay/read-answer.ts';
import { aRace } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

const receivedAt = '2026-03-02T10:00:00.000Z';
const since = '2026-03-02T10:00:00.400Z';

function instance(name: string, cluster: string): ArgoCdSettings {
  return { name, cluster, namespaces: [name], controllerNamespace: name, destinations: [] };
}

const hub = instance('hub', 'prod');

function paused(change: Partial<PausedForPush> = {}): PausedForPush {
  return { cluster: 'prod', pool: 'worker', hold: 'sync/hub/argocd/nodes', since, ...change };
}

function anOutcome(change: Partial<PushOutcome> = {}): PushOutcome {
  return { delivery: 'd', receivedAt, decidedAt: since, unasked: [], unseen: [], paused: [paused()], ...change };
}

function raceOf({ cluster, pool, hold, since: from }: PausedForPush, confirmedAt: string | undefined): Race {
  return aRace({ cluster, pool, hold, since: from, confirmedAt, verdict: undefined });
}

const confirmed = raceOf(paused(), '2026-03-02T10:00:03.000Z');

interface Given {
  readonly argocd?: ArgoCdSettings;
  readonly looks?: readonly LastLook[];
}

function may(
  outcome: PushOutcome | undefined,
  races: readonly Race[],
  afterSeconds: number,
  { argocd = hub, looks = [] }: Given = {},
): MayPassOn {
  const now = new Date(Date.parse(receivedAt) + afterSeconds * 1000);
  return mayPassOn({ argocd, receivedAt, waitAtMostSeconds: 30, outcome, races, looks, now });
}

describe('may a push go on to Argo CD', () => {
  it('[N-26] once every pool that it holds is confirmed paused', () => {
    expect(may(anOutcome(), [confirmed], 4)).toEqual({
      kind: 'go',
      isLate: false,
      why: 'confirmed paused: prod/worker',
    });
  });

  it('[N-26] at once when no pool needs to be paused for it', () => {
    expect(may(anOutcome({ paused: [] }), [], 0)).toEqual({
      kind: 'go',
      isLate: false,
      why: 'no pool needs to be paused for it',
    });
  });

  it.each([
    ['it is not decided', undefined, [], 'its pools are not determined yet'],
    [
      'the pause is not confirmed',
      anOutcome(),
      [raceOf(paused(), undefined)],
      'the pause of prod/worker is not confirmed',
    ],
    ['nothing is known of its race', anOutcome(), [], 'the pause of prod/worker is not confirmed'],
    ['another hold was confirmed', anOutcome(), [{ ...confirmed, since: receivedAt }], 'not confirmed'],
    ['another cluster was confirmed', anOutcome(), [{ ...confirmed, cluster: 'test' }], 'not confirmed'],
    ['its cluster was not seen', anOutcome({ unseen: ['prod'] }), [confirmed], 'cluster prod was not read'],
    ['it was not asked', anOutcome({ unasked: ['hub'] }), [confirmed], 'its Applications could not be read'],
  ])('[N-26] not while %s, and then without protection, which is said', (_, outcome, races, why) => {
    expect(may(outcome, races, 29.9)).toMatchObject({ kind: 'wait', why: expect.stringContaining(why) });
    expect(may(outcome, races, 30)).toMatchObject({ kind: 'go', isLate: true, why: expect.stringContaining(why) });
  });

  it('is not late when all is well at last, however long it took', () => {
    expect(may(anOutcome(), [confirmed], 3600)).toMatchObject({ kind: 'go', isLate: false });
  });

  const held = { id: paused().hold, kind: 'sync', who: 'argocd/nodes', why: '', since, until: receivedAt } as const;
  const recordOf = (change: Partial<PoolRecord> = {}): PoolRecord => ({
    v: 1,
    pause: 'ours',
    holds: [held],
    ...change,
  });
  const unheld = recordOf({ pause: undefined, holds: [] });
  const later = '2026-03-02T10:10:00.000Z';
  const overruled = { at: receivedAt, by: 'oc' };
  const lookOf = (record: PoolRecord, change: Partial<LastLook> = {}): LastLook => ({
    cluster: 'prod',
    lastGoodReadAt: '2026-03-02T10:20:00.000Z',
    told: { worker: record },
    ...change,
  });
  const before = { lastGoodReadAt: '2026-03-02T10:00:00.300Z' };

  it.each([
    ['its hold stands', recordOf(), {}, 'confirmed paused'],
    ['another one holds it on', recordOf({ holds: [{ ...held, since: receivedAt }] }), {}, 'confirmed paused'],
    ['nothing holds it any more', unheld, {}, 'the pause of prod/worker has ended'],
    [
      'it was resumed and is paused anew',
      recordOf({ pausedSince: later, holds: [{ ...held, since: later }] }),
      {},
      'the pause of prod/worker has ended',
    ],
    ['Git has given its pause back while its hold stands', recordOf({ pausedSince: later }), {}, 'confirmed paused'],
    [
      'its sync has ended, and it waits for its gates',
      recordOf({ pausedSince: since, holds: [] }),
      {},
      'confirmed paused',
    ],
    ['it is held, and not paused', recordOf({ pause: undefined }), {}, 'the pause of prod/worker has ended'],
    ['a person has resumed it', recordOf({ holds: [{ ...held, overruled }] }), {}, 'resumed since, and not waited for'],
    ['the look was before the pause', unheld, before, 'confirmed paused'],
    ['its holds have no room', unheld, { toldSteps: { worker: 'x' } }, 'confirmed paused'],
    ['another cluster was looked at', unheld, { cluster: 'test' }, 'confirmed paused'],
  ])('[N-26] [N-29] a pause that was confirmed counts as it is by the last look: %s', (_, record, change, why) => {
    const isLate = why.includes('ended');

    expect(may(anOutcome(), [confirmed], 1200, { looks: [lookOf(record, change)] })).toEqual({
      kind: 'go',
      isLate,
      why: isLate ? why : `${why}: prod/worker`,
    });
  });

  it('waits for the pools of its own Applications and clusters only', () => {
    const outcome = anOutcome({
      unasked: ['edge'],
      unseen: ['far'],
      paused: [paused(), paused({ hold: 'sync/edge/argocd/nodes', pool: 'other' })],
    });

    expect(may(outcome, [confirmed], 1)).toMatchObject({ kind: 'go', isLate: false });
    expect(may(outcome, [confirmed], 1, { argocd: instance('edge', 'far') })).toMatchObject({ kind: 'wait' });
  });

  it('[N-26] waits for pools of other Argo CDs that its own Applications write', () => {
    const outcome = anOutcome({ paused: [paused({ writtenIn: ['central'] })] });
    const central = instance('central', 'mgmt');

    expect(may(outcome, [], 1, { argocd: central })).toMatchObject({ kind: 'wait' });
    expect(may(outcome, [confirmed], 1, { argocd: central })).toMatchObject({ kind: 'go', isLate: false });
    expect(may(outcome, [], 1, { argocd: instance('edge', 'far') })).toMatchObject({ kind: 'go', isLate: false });
    expect(may(oneHoldPerPool(outcome), [], 1, { argocd: central })).toMatchObject({ kind: 'wait' });
  });

  it('[N-26] of many holds of one pool one is enough, with every Argo CD that has to get the push for them', () => {
    const others = ['central', 'west'].map((name) => paused({ hold: `sync/hub/argocd/${name}`, writtenIn: [name] }));

    expect(oneHoldPerPool(anOutcome({ paused: [paused(), ...others] })).paused).toEqual([
      paused({ writtenIn: ['central', 'west'] }),
    ]);
  });

  it('names a few of many pools', () => {
    const many = Array.from({ length: 20 }, (_, index) => paused({ pool: `pool-${index}` }));

    expect(may(anOutcome({ paused: many }), [], 1)).toMatchObject({ why: expect.stringMatching(/ and 15 more$/) });
  });

  it('[N-26] never goes before all are confirmed or the time is up, whatever is known in whatever order', () => {
    const pools = fc.uniqueArray(fc.constantFrom('worker', 'infra', 'gpu'), { minLength: 1 });
    const knowledge = fc.record({ pools, confirmed: fc.subarray(['worker', 'infra', 'gpu']), after: fc.nat(60) });
    fc.assert(
      fc.property(knowledge, ({ pools: held, confirmed: known, after }) => {
        const outcome = anOutcome({ paused: held.map((pool) => paused({ pool })) });
        const races = known.map((pool) => raceOf(paused({ pool }), receivedAt));

        const answer = may(outcome, races, after);

        const isProtected = held.every((pool) => known.includes(pool));
        expect(answer.kind).toBe(isProtected || after >= 30 ? 'go' : 'wait');
        if (answer.kind === 'go') expect(answer.isLate).toBe(!isProtected);
      }),
    );
  });
});

describe('where an event goes on to', () => {
  const relay = { url: 'https://a.example.com', ca: undefined, waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 };
  const both = { ...relay, applicationSetUrl: 'https://b.example.com' };

  it.each([
    ['push', ['applications', 'applicationsets']],
    ['ping', ['applications', 'applicationsets']],
    ['pull_request', ['applicationsets']],
    ['issues', []],
  ])('[N-26] %s goes to the servers that know it: %j', (event, endpoints) => {
    expect(endpointsFor(event, both)).toEqual(endpoints);
    expect(endpointsFor(event, relay)).toEqual(endpoints.filter((each) => each === 'applications'));
  });
});

describe('the answer of Argo CD', () => {
  it.each([200, 202, 204])('%i is an acceptance', (status) => {
    expect(readAnswer(status)).toEqual({ kind: 'accepted' });
  });

  it.each([408, 425, 429, 500, 502, 503, 504])('%i may be another one the next time', (status) => {
    expect(readAnswer(status)).toMatchObject({ kind: 'again' });
  });

  it.each([
    [400, 'webhook.github.secret'],
    [301, 'redirects'],
    [307, 'redirects'],
    [401, 'let /api/webhook through'],
    [404, 'ends in /api/webhook'],
    [405, 'ends in /api/webhook'],
    [413, 'maxPayloadSizeMB'],
    [418, 'does not accept this'],
  ])('%i is a refusal, and says what to look at: %s', (status, hint) => {
    expect(readAnswer(status)).toMatchObject({ kind: 'refused', why: expect.stringContaining(hint) });
  });
});
