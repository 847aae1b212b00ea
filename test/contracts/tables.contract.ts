import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockSlotsAtMost } from '../../functions/core/configuration/fleet-lock.ts';
import type { Race } from '../../functions/core/races/race.ts';
import type { AskedRequest } from '../../functions/core/requests/asked-request.ts';
import type { SetRoute } from '../../functions/core/routing/route.ts';
import type {
  Approvals,
  AskedRequests,
  BudgetPlaces,
  Checkpoints,
  FleetLocks,
  Incidents,
  JointMessageLists,
  KeptCalendars,
  NodeRollouts,
  Paces,
  Races,
  Routes,
  RuleCallbacks,
  RunViews,
  SequenceRequests,
  SequenceViews,
  Timeline,
  Views,
} from '../../functions/ports/tables.ts';
import {
  aDelivery,
  aMemory,
  aNodeRollout,
  anIncident,
  aPoolView,
  aRace,
  aRecord,
  aRoute,
  aTimelineEntry,
  aTrouble,
  aView,
  type FakeClock,
  someRollouts,
} from '../fakes/index.ts';
import { aTile, jobsRun, underWay, waitsForAPerson } from '../functions/status/run-sample.ts';
import { allDone, classIsGone, waitingForClass } from '../functions/status/sequence-sample.ts';

export interface TablesLab {
  readonly approvals: Approvals;
  readonly timeline: Timeline;
  readonly races: Races;
  readonly budgetPlaces: BudgetPlaces;
  readonly fleetLocks: FleetLocks;
  readonly paces: Paces;
  readonly keptCalendars: KeptCalendars;
  readonly jointMessages: JointMessageLists;
  readonly views: Views;
  readonly sequenceViews: SequenceViews;
  readonly runViews: RunViews;
  readonly ruleCallbacks: RuleCallbacks;
  readonly sequenceRequests: SequenceRequests;
  readonly askedRequests: AskedRequests;
  readonly routes: Routes;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly nodeRollouts: NodeRollouts;
  readonly clock: FakeClock;
  close(): Promise<void>;
}

/** What every implementation of the tables keeps. The table is empty at first and lives through the suite. */
export function tablesContract(name: string, makeLab: () => Promise<TablesLab>): void {
  describe(`tables: ${name}`, () => {
    let lab: TablesLab;

    beforeAll(async () => {
      lab = await makeLab();
    });

    afterAll(() => lab.close());

    describe('approvals', () => {
      const approval = {
        cluster: 'prod',
        pool: 'worker',
        config: 'rendered-worker-bbb',
        who: 'slack:U0000ALICE',
        name: 'alice',
        verb: 'approve',
        at: '2026-03-02T10:00:00.000Z',
        reason: '',
      } as const;
      const stored = async () =>
        (await lab.approvals.list('prod', 'worker')).toSorted((a, b) => (a.who < b.who ? -1 : 1));

      test('[N-17] two people who approve at once both count, and a repetition counts once', async () => {
        const other = { ...approval, who: 'slack:U00000BOB' };

        await Promise.all([approval, other, approval].map((each) => lab.approvals.save(each)));

        expect(await stored()).toEqual([other, approval]);
        expect(await lab.approvals.list('prod', 'infra')).toEqual([]);
      });

      test('[N-17] an approval that is delivered again after its revocation changes nothing', async () => {
        const revoked = { ...approval, verb: 'revoke', at: '2026-03-02T10:00:01.000Z' } as const;

        const saved = [await lab.approvals.save(revoked), await lab.approvals.save(approval)];

        expect(saved).toEqual([true, false]);
        expect((await stored()).find(({ who }) => who === approval.who)).toEqual(revoked);
      });

      test('[N-17] of one instant the revocation stays, and a later approval replaces it', async () => {
        const at = '2026-03-02T10:00:02.000Z';
        await lab.approvals.save({ ...approval, at, verb: 'revoke' });

        const together = await lab.approvals.save({ ...approval, at });
        const later = await lab.approvals.save({ ...approval, at: '2026-03-02T10:00:03.000Z' });

        expect([together, later]).toEqual([false, true]);
      });
    });

    test('[N-17] [N-30] approvals of two images of one rendered config, and of the config alone, are three', async () => {
      const of = { cluster: 'prod', pool: 'layered', who: 'slack:U0000ALICE', name: 'alice', reason: '' } as const;
      const at = '2026-03-02T10:00:00.000Z';
      const changes = ['', `@sha256:${'a'.repeat(64)}`, `@sha256:${'b'.repeat(64)}`].map(
        (image) => `rendered-layered-bbb${image}`,
      );

      for (const config of changes) await lab.approvals.save({ ...of, config, verb: 'approve', at });
      const late = await lab.approvals.save({ ...of, config: changes[1] ?? '', verb: 'revoke', at });

      const stored = await lab.approvals.list('prod', 'layered');
      expect(late).toBe(true);
      expect(stored.map(({ verb, config }) => `${verb} ${config}`).toSorted()).toEqual([
        `approve ${changes[0]}`,
        `approve ${changes[2]}`,
        `revoke ${changes[1]}`,
      ]);
    });

    describe('requests about sequences', () => {
      const said = { who: 'alice (Slack U0000ALICE)', why: 'not needed here', at: '2026-03-02T10:00:00.000Z' };
      const skip = {
        id: 'slack/1',
        sequence: 'virt',
        request: { kind: 'skip', item: 'storage@prod/waitFor', said },
      } as const;

      test('[S2-10] each is kept once, whoever else asks, and those of other sequences are others', async () => {
        const pause = { id: 'slack/2', sequence: 'virt', request: { kind: 'pause', said } } as const;

        await Promise.all([skip, pause, skip].map((each) => lab.sequenceRequests.save(each)));
        await lab.sequenceRequests.save({ ...pause, id: 'slack/3', sequence: 'other' });

        const stored = await lab.sequenceRequests.list('virt');
        expect(stored.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([skip, pause]);
        expect(await lab.sequenceRequests.list('none')).toEqual([]);
      });
    });

    describe('requests by commands', () => {
      const first: AskedRequest = {
        id: '0123456789abcdef',
        version: 0,
        cluster: 'prod',
        request: { kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'database migration' },
        who: 'anna (Slack U0123456789)',
        at: '2026-03-02T10:00:00.000Z',
        answer: { channel: 'C0123456789', user: 'U0123456789' },
        state: 'asked',
      };

      test('[N-34] each is stored once, and of two that carry it out only one goes on', async () => {
        const stored = [
          await lab.askedRequests.save(first),
          await lab.askedRequests.save({ ...first, cluster: 'other' }),
        ];
        const asked = (await lab.askedRequests.load(first.id)) ?? first;
        const begun = { ...asked, state: 'begun' } as const;
        const both = [await lab.askedRequests.save(begun), await lab.askedRequests.save(begun)];

        expect(stored).toEqual([true, false]);
        expect(asked).toEqual({ ...first, version: 1 });
        expect(both).toEqual([true, false]);
        expect(await lab.askedRequests.load(first.id)).toEqual({ ...begun, version: 2 });
        expect(await lab.askedRequests.load('none')).toBeUndefined();
      });
    });

    describe('timeline', () => {
      test('gives the newest entries first, and of one instant the later told first', async () => {
        await lab.timeline.append([
          aTimelineEntry({ id: 'order-1', at: '2026-03-02T10:00:00.000Z' }),
          aTimelineEntry({ id: 'order-3', at: '2026-03-02T10:00:02.000Z', text: 'first' }),
          aTimelineEntry({ id: 'order-4', at: '2026-03-02T10:00:02.000Z', text: 'second' }),
          aTimelineEntry({ id: 'order-2', at: '2026-03-02T10:00:01.000Z' }),
        ]);

        const entries = await lab.timeline.latest(3);

        expect(entries.map((entry) => entry.id)).toEqual(['order-4', 'order-3', 'order-2']);
        expect(entries[0]).toEqual(aTimelineEntry({ id: 'order-4', at: '2026-03-02T10:00:02.000Z', text: 'second' }));
      });

      test('[S0-17] keeps one entry of a happening, whenever it is told again', async () => {
        const entry = aTimelineEntry({ id: 'twice', at: '2026-03-02T11:00:00.000Z', text: 'as it was told first' });
        await lab.timeline.append([entry]);

        await lab.timeline.append([entry, { ...entry, at: '2026-03-02T11:00:07.000Z', text: 'told again' }]);

        const found = (await lab.timeline.latest(100)).filter(({ id }) => id === 'twice');
        expect(found).toEqual([entry]);
      });

      test('appends more entries than one request takes', async () => {
        const entries = Array.from({ length: 60 }, (_, index) =>
          aTimelineEntry({ id: `many-${index}`, at: new Date(Date.UTC(2026, 5, 1, 0, 0, index)).toISOString() }),
        );

        await lab.timeline.append(entries);

        const found = await lab.timeline.latest(60);
        expect(found.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).reverse());
      });

      test('appending nothing is fine', async () => {
        await expect(lab.timeline.append([])).resolves.toBeUndefined();
      });
    });

    describe('races', () => {
      test('loads the races of one cluster, newest first', async () => {
        const older = aRace({ cluster: 'races-a', since: '2026-03-02T10:00:00.000Z' });
        const newer = aRace({ cluster: 'races-a', since: '2026-03-02T12:00:00.000Z', verdict: undefined });
        await lab.races.save(older);
        await lab.races.save(newer);
        await lab.races.save(aRace({ cluster: 'races-ab' }));

        expect(await lab.races.load('races-a')).toEqual([newer, older]);
      });

      test('[N-28] a time once known stays, whichever pass comes last', async () => {
        const known = aRace({ cluster: 'races-b', appliedAt: undefined, verdict: undefined });
        await lab.races.save(known);

        await lab.races.save({ ...known, confirmedAt: undefined, appliedAt: '2026-03-02T10:00:09.000Z' });
        await lab.races.save({
          ...known,
          confirmedAt: '2026-03-02T10:09:00.000Z',
          missedNodes: ['worker-1'],
          firstTargetedAt: '2026-03-02T10:08:00.000Z',
        });

        expect(await lab.races.load('races-b')).toEqual([{ ...known, appliedAt: '2026-03-02T10:00:09.000Z' }]);
      });

      test('joins what passes know that save at once', async () => {
        const base = aRace({ cluster: 'races-c', pausedAt: undefined, confirmedAt: undefined, appliedAt: undefined });
        const bare = { ...base, pauseGeneration: undefined, pushedAt: undefined, verdict: undefined };

        await Promise.all([
          lab.races.save({ ...bare, pausedAt: '2026-03-02T10:00:01.000Z' }),
          lab.races.save({ ...bare, appliedAt: '2026-03-02T10:00:02.000Z' }),
          lab.races.save({ ...bare, confirmedAt: '2026-03-02T10:00:03.000Z' }),
          lab.races.save({ ...bare, verdict: 'in time' }),
        ]);

        expect(await lab.races.load('races-c')).toEqual([
          {
            ...bare,
            pausedAt: '2026-03-02T10:00:01.000Z',
            appliedAt: '2026-03-02T10:00:02.000Z',
            confirmedAt: '2026-03-02T10:00:03.000Z',
            verdict: 'in time',
          },
        ]);
      });

      test('[S0-23] keeps that a pool was paused anew, and the pause that came after the verdict', async () => {
        const later = { pausedAt: '2026-03-02T10:05:00.000Z', pauseGeneration: 8, confirmedAt: undefined };
        const judged = aRace({ cluster: 'races-d', isPausedAnew: true });
        await lab.races.save(judged);
        await lab.races.save({ ...judged, later });
        await lab.races.save({ ...judged, later: { ...later, confirmedAt: '2026-03-02T10:05:04.000Z' } });

        expect(await lab.races.load('races-d')).toEqual([
          { ...judged, later: { ...later, confirmedAt: '2026-03-02T10:05:04.000Z' } },
        ]);
      });

      test('[N-30] loads the races that are named however many newer ones there are, and finds them alone', async () => {
        const old = aRace({ cluster: 'races-e', since: '2026-03-02T09:00:00.000Z' });
        const unnamed = aRace({ cluster: 'races-e', since: '2026-03-02T09:30:00.000Z' });
        const newer = Array.from({ length: 200 }, (_, index) => aRace({ cluster: 'races-e', pool: `pool-${index}` }));
        // One after the other: two hundred connections at once are not what is tested here.
        for (const race of [old, unnamed, ...newer]) await lab.races.save(race);
        const gone = { ...old, pool: 'gone' };

        expect(await lab.races.load('races-e', [old, gone, old])).toEqual([...(await lab.races.load('races-e')), old]);
        expect(await lab.races.load('races-e')).toHaveLength(200);
        expect(await lab.races.find('races-e', [old, unnamed, gone])).toEqual([unnamed, old]);
      });

      test('[N-30] finds hundreds that began at one instant, and none of the others of that instant', async () => {
        const all = Array.from({ length: 60 }, (_, index) => aRace({ cluster: 'races-f', pool: `pool-${index}` }));
        for (const race of all) await lab.races.save(race);
        const gone = { ...aRace({ cluster: 'races-f' }), pool: 'gone' };
        const sorted = (races: readonly Race[]) => races.map(({ pool }) => pool).toSorted();

        // Nearly all of them, and a few of which most others must not be read.
        const many = await lab.races.find('races-f', [gone, ...all.slice(3)]);
        const few = await lab.races.find('races-f', [gone, ...all.slice(0, 6)]);

        expect(sorted(many)).toEqual(sorted(all.slice(3)));
        expect(sorted(few)).toEqual(sorted(all.slice(0, 6)));
      });

      test('knows no races of a cluster that it never saw', async () => {
        expect(await lab.races.load('races-nobody')).toEqual([]);
      });
    });

    describe('slots of machines outside OpenShift', () => {
      test('[N-25] are none at first; of two machines that saw the same slots, one takes one', async () => {
        const before = await lab.fleetLocks.load();
        const wish = (id: string) => ({
          ...before,
          held: [{ group: 'default', id, since: '2026-03-02T10:00:00.000Z' }],
        });

        const saved = await Promise.all(['Aa', 'aA'].map((id) => lab.fleetLocks.save(wish(id))));
        const after = await lab.fleetLocks.load();
        const isNext = await lab.fleetLocks.save({ ...after, held: [] });

        expect(before).toEqual({ version: 0, held: [] });
        expect(saved.toSorted()).toEqual([false, true]);
        expect(after).toEqual({ ...wish(saved[0] === true ? 'Aa' : 'aA'), version: 1 });
        expect(isNext).toBe(true);
        expect((await lab.fleetLocks.load()).held).toEqual([]);
      });

      test('[N-25] [C-11] have room for as many as there may be, with the longest ids and groups', async () => {
        const since = '2026-03-02T10:00:00.000Z';
        const held = Array.from({ length: lockSlotsAtMost }, (_, index) => ({
          group: 'g'.repeat(100),
          id: `${index}`.padStart(200, '-'),
          since,
        }));
        const before = await lab.fleetLocks.load();

        expect(await lab.fleetLocks.save({ ...before, held })).toBe(true);
        expect((await lab.fleetLocks.load()).held).toEqual(held);
        await lab.fleetLocks.save({ ...(await lab.fleetLocks.load()), held: [] });
      });
    });

    describe('places of the budget', () => {
      test('[N-10] are none at first; of two passes that read the same places, one writes', async () => {
        const place = {
          cluster: 'prod',
          pool: 'worker',
          nodes: 2,
          since: '2026-03-02T10:00:00.000Z',
          until: '2026-03-03T10:00:00.000Z',
        };
        const before = await lab.budgetPlaces.load();
        const wish = (pool: string) => ({ ...before, taken: [{ ...place, pool }], nodes: { prod: 12 } });

        const saved = await Promise.all(['worker', 'infra'].map((pool) => lab.budgetPlaces.save(wish(pool))));
        const after = await lab.budgetPlaces.load();
        const isNext = await lab.budgetPlaces.save({ ...after, taken: [] });

        expect(before).toEqual({ version: 0, taken: [], nodes: {} });
        expect(saved.toSorted()).toEqual([false, true]);
        expect(after).toEqual({ ...wish(saved[0] === true ? 'worker' : 'infra'), version: 1 });
        expect(isNext).toBe(true);
        expect((await lab.budgetPlaces.load()).taken).toEqual([]);
      });
    });

    describe('joint messages of a target', () => {
      test('[N-18] are none at first; of two senders that read the same, one writes', async () => {
        const member = { key: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' }, number: 7 } as const;
        const message = {
          why: 'fleet',
          cause: 'drain-blocked N5',
          anchor: member,
          members: [member, { ...member, number: 8 }],
          openUntil: '2026-03-02T10:10:00.000Z',
          endToldBy: undefined,
        } as const;
        const before = await lab.jointMessages.load('ops');
        const opening = { ...member, number: 9, at: '2026-03-02T10:00:00.000Z', cause: undefined };
        const wish = { ...before, openings: [opening], messages: [message] };

        const saved = await Promise.all([wish, wish].map((told) => lab.jointMessages.save('ops', told)));
        const after = await lab.jointMessages.load('ops');

        expect(before).toEqual({ version: 0, openings: [], messages: [] });
        expect(saved.toSorted()).toEqual([false, true]);
        expect(after).toEqual({ ...wish, version: 1 });
        const ended = { ...after, messages: [{ ...message, endToldBy: member }] };
        expect(await lab.jointMessages.save('ops', ended)).toBe(true);
        expect((await lab.jointMessages.load('ops')).messages[0]?.endToldBy).toEqual(member);
        expect((await lab.jointMessages.load('other')).version).toBe(0);
      });
    });

    describe('the pace of a channel', () => {
      test('[N-18] is none at first, each channel has its own; of two senders that read the same, one writes', async () => {
        const before = await lab.paces.load('slack/C1');
        const wish = { ...before, restsAt: '2026-03-02T10:00:01.000Z', lastTurnAt: undefined };

        const saved = await Promise.all([wish, wish].map((pace) => lab.paces.save('slack/C1', pace)));
        const after = await lab.paces.load('slack/C1');

        expect(before).toEqual({ version: 0, restsAt: undefined, lastTurnAt: undefined });
        expect(saved.toSorted()).toEqual([false, true]);
        expect(after).toEqual({ ...wish, version: 1 });
        expect(await lab.paces.save('slack/C1', { ...after, lastTurnAt: '2026-03-02T10:00:02.000Z' })).toBe(true);
        expect((await lab.paces.load('slack/C2')).version).toBe(0);
      });
    });

    describe('kept calendars', () => {
      test('[N-8] are none at first; a long one comes back whole, and an older attempt replaces none', async () => {
        const text = 'DTSTART:20260302T100000Z\r\n'.repeat(40_000);
        const kept = {
          id: '0011223344556677',
          triedAt: '2026-03-02T10:00:00.000Z',
          copy: { text, readAt: '2026-03-02T10:00:00.000Z', etag: '"1"' },
        };
        const failed = {
          ...kept,
          triedAt: '2026-03-02T11:00:00.000Z',
          failure: { since: '2026-03-02T11:00:00.000Z', why: 'no answer in time' },
        };
        const before = await lab.keptCalendars.load(kept.id);

        await lab.keptCalendars.save(kept);
        const first = await lab.keptCalendars.load(kept.id);
        await lab.keptCalendars.save(failed);
        await lab.keptCalendars.save(kept);

        expect([before, first]).toEqual([undefined, kept]);
        expect(await lab.keptCalendars.load(kept.id)).toEqual(failed);
        expect(await lab.keptCalendars.load('7766554433221100')).toBeUndefined();
      });
    });

    describe('views', () => {
      test('lists the last view of each cluster', async () => {
        const edge = aView({
          cluster: 'edge',
          blind: { why: 'no route', since: '2026-03-02T10:00:00.000Z', misses: 3 },
        });
        const prod = aView({
          cluster: 'prod',
          readAt: '2026-03-02T10:01:00.000Z',
          pools: [
            aPoolView({
              races: [aRace()],
              emergency: {
                who: 'ann',
                why: 'CVE',
                since: '2026-03-02T10:00:00.000Z',
                until: '2026-03-02T11:00:00.000Z',
              },
            }),
          ],
        });
        await lab.views.save(aView({ cluster: 'prod' }));
        await lab.views.save(edge);
        await lab.views.save(prod);

        expect(await lab.views.list()).toEqual([edge, prod]);
      });

      test('loads that of one cluster, and nothing where none is stored', async () => {
        const one = aView({ cluster: 'one' });
        await lab.views.save(one);

        expect(await lab.views.load('one')).toEqual(one);
        expect(await lab.views.load('on')).toBeUndefined();
      });

      test('a slow pass does not put an older read over a newer one', async () => {
        const newer = aView({ cluster: 'slow', readAt: '2026-03-02T10:05:00.000Z' });
        await lab.views.save(newer);

        await lab.views.save(aView({ cluster: 'slow', readAt: '2026-03-02T10:04:00.000Z', pools: [] }));

        expect((await lab.views.list()).find(({ cluster }) => cluster === 'slow')).toEqual(newer);
      });

      test('a view of the same read may change', async () => {
        const seen = aView({ cluster: 'same' });
        await lab.views.save(seen);
        const blind = { ...seen, blind: { why: 'timeout', since: seen.readAt, misses: 1 } };

        await lab.views.save(blind);

        expect((await lab.views.list()).find(({ cluster }) => cluster === 'same')).toEqual(blind);
      });

      test('a cluster that was never read is shown as out of sight, until its first read', async () => {
        const never = aView({
          cluster: 'never',
          readAt: '',
          blind: { why: 'no route', since: '2026-03-02T10:00:00.000Z', misses: 1 },
          pools: [],
        });
        const found = async () => (await lab.views.list()).find(({ cluster }) => cluster === 'never');

        await lab.views.save(never);
        const before = await found();
        const read = aView({ cluster: 'never' });
        await lab.views.save(read);

        expect(before).toEqual(never);
        expect(await found()).toEqual(read);
      });

      test('a view that is too large is cut, not lost', async () => {
        const text = 'x'.repeat(4_000);
        const pools = Array.from({ length: 200 }, (_, index) => aPoolView({ name: `pool-${index}`, message: text }));

        await lab.views.save(aView({ cluster: 'large', pools }));

        const found = (await lab.views.list()).find(({ cluster }) => cluster === 'large');
        expect(found?.pools.map((pool) => pool.name)).toContain('pool-0');
      });
    });

    describe('sequences as they are shown', () => {
      const ago = (seconds: number) => new Date(Date.parse('2026-03-02T10:24:31.000Z') - seconds * 1000).toISOString();

      test('[S2-23] lists the last look at each sequence, with everything that it says', async () => {
        const waiting = waitingForClass(ago);
        await lab.sequenceViews.save({ ...waiting, readAt: '2026-03-02T10:00:00.000Z', waves: [] });
        await lab.sequenceViews.save(classIsGone(ago));

        await lab.sequenceViews.save(waiting);

        // As JSON leaves it: what is undefined is not there.
        expect(await lab.sequenceViews.list()).toEqual([classIsGone(ago), waiting]);
      });

      test('[S2-23] [N-29] one is listed whatever its problems are: what others have changed, too', async () => {
        const kinds = ['timeout', 'regression', 'refused', 'unseen', 'aborted', 'drift'] as const;
        const of = { item: 'made@prod', cluster: 'prod', since: ago(60), why: 'it is changed' };
        const problems = kinds.map((kind) => ({ kind, ...of }));
        const shown = { ...waitingForClass(ago), sequence: 'all-problems', problems };

        await lab.sequenceViews.save(shown);

        expect((await lab.sequenceViews.list()).find(({ sequence }) => sequence === 'all-problems')).toEqual(shown);
      });

      test('[S2-23] a slow pass does not put an older look over a newer one', async () => {
        const newer = allDone(ago);
        await lab.sequenceViews.save(newer);

        await lab.sequenceViews.save({ ...newer, readAt: '2026-03-02T10:04:00.000Z', waves: [] });

        expect((await lab.sequenceViews.list()).find(({ sequence }) => sequence === newer.sequence)).toEqual(newer);
      });
    });

    describe('runs as they are shown', () => {
      const ago = (seconds: number) => new Date(Date.parse('2026-03-02T10:24:31.000Z') - seconds * 1000).toISOString();

      test('[S4-20] lists the last look at each run, with everything that it says; a slow pass puts no older one over it', async () => {
        await lab.runViews.save(jobsRun(ago));
        await lab.runViews.save(waitsForAPerson(ago));

        await lab.runViews.save({ ...underWay(ago), readAt: '2026-03-02T10:04:00.000Z' });

        // As JSON leaves it: what is undefined is not there.
        expect(await lab.runViews.list()).toEqual([jobsRun(ago), waitsForAPerson(ago)]);
      });

      test('one that is too large is cut, not lost', async () => {
        const tail = Array.from({ length: 3 }, () => 'x'.repeat(200));
        const doing = 'y'.repeat(300);
        const tiles = Array.from({ length: 1_000 }, (_, index) => aTile(`w${index}`, { tail, doing }));

        await lab.runViews.save({ ...underWay(ago), run: 'large', tiles });

        const found = (await lab.runViews.list()).find(({ run }) => run === 'large');
        expect(found?.tiles.map(({ node }) => node)).toContain('w0');
      });
    });

    describe('callbacks of rules', () => {
      const until = '2026-03-02T12:00:00.000Z';

      test('[S4-30] one for each event, with a token of its own, written by whoever saw its last version', async () => {
        const { ruleCallbacks } = lab;
        const [token, other] = [ruleCallbacks.newToken(), ruleCallbacks.newToken()];
        const made = { version: 0, id: '0123456789abcdef', token, until };
        const answer = { status: 'failed' as const, message: 'no approval', at: '2026-03-02T11:00:00.000Z' };

        expect(token).not.toBe(other);
        expect(await ruleCallbacks.load(made.id)).toBeUndefined();
        expect([await ruleCallbacks.save(made), await ruleCallbacks.save(made)]).toEqual([true, false]);
        expect(await ruleCallbacks.save({ ...made, version: 1, answer })).toBe(true);
        expect(await ruleCallbacks.save({ ...made, version: 1, received: until })).toBe(false);
        expect(await ruleCallbacks.load(made.id)).toEqual({ ...made, version: 2, answer });
        expect(await ruleCallbacks.load('fedcba9876543210')).toBeUndefined();
      });
    });

    describe('memories', () => {
      test('remembers nothing of a cluster that it never saw', async () => {
        expect(await lab.checkpoints.load('memory-nobody')).toBeUndefined();
      });

      test('gives back what was saved, one version on', async () => {
        const memory = aMemory({
          cluster: 'memory-a',
          sweptAt: undefined,
          firstSeen: { 'worker|drain-blocked|worker-2': '2026-03-02T10:00:00.000Z' },
          told: { worker: aRecord() },
          pushes: [{ revision: 'b'.repeat(40), at: '2026-03-02T10:00:00.000Z' }],
          clusterId: 'aaaaaaaa',
          guardIds: ['bbbbbbbb', 'aaaaaaaa'],
          untoldRaces: [{ pool: 'worker', hold: 'sync/hub/argocd/nodes', since: '2026-03-02T10:00:00.000Z' }],
        });

        const isSaved = await lab.checkpoints.save(memory);

        expect(isSaved).toBe(true);
        expect(await lab.checkpoints.load('memory-a')).toEqual({ ...memory, version: 1 });
      });

      test('refuses the slower of two passes', async () => {
        const memory = aMemory({ cluster: 'memory-b' });
        await lab.checkpoints.save(memory);

        const again = await lab.checkpoints.save({ ...memory, misses: 7 });
        const next = await lab.checkpoints.save({ ...memory, version: 1, misses: 2 });

        expect([again, next]).toEqual([false, true]);
        expect(await lab.checkpoints.load('memory-b')).toMatchObject({ version: 2, misses: 2 });
      });

      test('lets one of many passes at once win', async () => {
        const memory = aMemory({ cluster: 'memory-c' });

        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, misses) => lab.checkpoints.save({ ...memory, misses })),
        );

        expect(outcomes.filter(Boolean)).toHaveLength(1);
      });

      test('what is too large is cut, and the clocks and what was told stay', async () => {
        const at = '2026-03-02T10:00:00.000Z';
        const joined = Array.from({ length: 100 }, (_, node) => ({
          name: `ip-10-0-${node}-17.eu-central-1.compute.internal`,
          at,
          config: `rendered-worker-${'a'.repeat(200)}`,
        }));
        const pauses = Object.fromEntries(
          Array.from({ length: 20 }, (_, pool) => [`pool-${pool}`, { machines: 100, joined }]),
        );
        const firstSeen = { 'worker|draining|worker-2': at };
        const memory = aMemory({ cluster: 'memory-large', firstSeen, told: { worker: aRecord() }, pauses });

        const isSaved = await lab.checkpoints.save(memory);

        expect(isSaved).toBe(true);
        const found = await lab.checkpoints.load('memory-large');
        expect(found).toMatchObject({ firstSeen, told: { worker: aRecord() } });
        expect(found?.pauses?.['pool-19']?.machines).toBe(100);
      });
    });

    describe('routes', () => {
      const listedAt = '2026-03-02T10:00:00.000Z';

      test('knows nothing of an instance that was never listed', async () => {
        expect(await lab.routes.load('routes-nobody')).toBeUndefined();
        expect(lab.routes.last('routes-nobody')).toBeUndefined();
      });

      test('gives back what was saved, one version on, and remembers it', async () => {
        const routes = [
          aRoute({ argocd: 'routes-a' }),
          aRoute({ argocd: 'routes-a', name: 'apps', generatePaths: '.;/base' }),
        ];
        const sets = [
          aSet('fleet', {
            template: {
              sources: [{ repoURL: 'https://github.com/acme/a', path: '{{path}}', targetRevision: '', chart: '' }],
              destination: { server: '', name: '{{path.basename}}' },
              automated: true,
            },
          }),
          aSet('asking', { generators: [], readsAnyPush: true }),
        ];

        const names = [
          { name: 'github.com/acme/a', now: 'github.com/acme/b', askedAt: listedAt },
          { name: 'github.com/acme/c', askedAt: listedAt, isUnanswered: true as const },
        ];
        const stored = { argocd: 'routes-a', version: 0, listedAt, routes, sets, names };

        const isSaved = await lab.routes.save(stored);

        expect(isSaved).toBe(true);
        expect(await lab.routes.load('routes-a')).toEqual({ ...stored, version: 1 });
        expect(lab.routes.last('routes-a')).toEqual({ ...stored, version: 1 });
        await lab.routes.save({ ...stored, version: 1, names: [] });
        expect(await lab.routes.load('routes-a')).toMatchObject({ version: 2, names: [] });
      });

      test('refuses the slower of two passes', async () => {
        const first = { argocd: 'routes-b', version: 0, listedAt, routes: [aRoute({ argocd: 'routes-b' })], sets: [] };
        await lab.routes.save(first);

        const again = await lab.routes.save({ ...first, routes: [] });
        const next = await lab.routes.save({ ...first, version: 1, routes: [], sets: [] });

        expect([again, next]).toEqual([false, true]);
        expect(await lab.routes.load('routes-b')).toMatchObject({ version: 2, routes: [] });
      });

      test('lets one of many passes at once win, and keeps what the winner wrote', async () => {
        const names = Array.from({ length: 8 }, (_, index) => `app-${index}`);

        const outcomes = await Promise.all(
          names.map((name) =>
            lab.routes.save({
              argocd: 'routes-c',
              version: 0,
              listedAt,
              routes: [aRoute({ argocd: 'routes-c', name })],
              sets: [],
            }),
          ),
        );

        expect(outcomes.filter(Boolean)).toHaveLength(1);
        const stored = await lab.routes.load('routes-c');
        expect(stored?.routes.map(({ ref }) => ref.name)).toEqual([names[outcomes.indexOf(true)]]);
      });

      test('the same routes keep their array when only the time of the list changes', async () => {
        const routes = [aRoute({ argocd: 'routes-d' })];
        await lab.routes.save({ argocd: 'routes-d', version: 0, listedAt, routes, sets: [] });
        const before = await lab.routes.load('routes-d');
        const later = '2026-03-02T10:05:00.000Z';

        await lab.routes.save({
          argocd: 'routes-d',
          version: 1,
          listedAt: later,
          routes: before?.routes ?? [],
          sets: before?.sets ?? [],
        });

        const after = await lab.routes.load('routes-d');
        expect(after).toMatchObject({ version: 2, listedAt: later });
        expect(after?.routes).toBe(before?.routes);
      });

      test('holds the routes of 10,000 Applications, and what stood there before', async () => {
        const unlike = (index: number) => createHash('sha256').update(String(index)).digest('hex');
        const many = (first: number) =>
          Array.from({ length: 10_000 }, (_, index) =>
            aRoute({ argocd: 'routes-e', name: `app-${first + index}`, uid: unlike(first + index) }),
          );
        await lab.routes.save({ argocd: 'routes-e', version: 0, listedAt, routes: many(0), sets: [] });

        await lab.routes.save({ argocd: 'routes-e', version: 1, listedAt, routes: many(1), sets: [] });

        const stored = await lab.routes.load('routes-e');
        expect(stored?.routes).toEqual(many(1));
      });
    });

    describe('stories', () => {
      const begun = (at: string) => ({ begun: { at, told: true } });

      test('gives back what is under way, one version on', async () => {
        const rollouts = someRollouts({ cluster: 'stories-a' });

        const isSaved = await lab.nodeRollouts.save(rollouts);

        expect(isSaved).toBe(true);
        expect(await lab.nodeRollouts.load('stories-a')).toEqual({ ...rollouts, version: 1 });
        expect(await lab.nodeRollouts.load('stories-nobody')).toBeUndefined();
      });

      test('gives back what is known of each node, and what is yet to be published', async () => {
        const known = Object.fromEntries(
          Array.from({ length: 2_000 }, (_, index) => [
            `ip-10-0-${index}.eu-west-1.compute.internal`,
            { pool: 'worker', uid: randomUUID().slice(-12), config: 'rendered-worker-aaa', boot: randomUUID() },
          ]),
        );
        const untold = Array.from({ length: 300 }, (_, index) => aNodeRollout({ node: `worker-${index}` }));
        const rollouts = someRollouts({ cluster: 'stories-known', known, untold });

        await lab.nodeRollouts.save(rollouts);

        expect(await lab.nodeRollouts.load('stories-known')).toEqual({ ...rollouts, version: 1 });
      });

      test('refuses the slower of two passes', async () => {
        const rollouts = someRollouts({ cluster: 'stories-b' });
        await lab.nodeRollouts.save(rollouts);

        const again = await lab.nodeRollouts.save({ ...rollouts, open: [] });
        const next = await lab.nodeRollouts.save({ ...rollouts, version: 1, open: [] });

        expect([again, next]).toEqual([false, true]);
        expect(await lab.nodeRollouts.load('stories-b')).toMatchObject({ version: 2, open: [] });
      });

      test('[N-20] keeps an ended story once, and finds it by cluster, pool, node and commit', async () => {
        const revision = 'c0ffee'.padEnd(40, '0');
        const causes = [{ kind: 'git', sources: ['99-a'], why: 'x', by: { application: 'nodes', revision } }] as const;
        const first = aNodeRollout({ cluster: 'ended', ...begun('2026-03-02T10:00:00Z'), causes });
        const second = aNodeRollout({
          cluster: 'ended',
          ...begun('2026-03-02T11:00:00Z'),
          node: 'worker-2',
          pool: 'infra',
          // Of an Application of several sources: one of these, and nobody knows which.
          causes: [{ ...causes[0], by: { application: 'nodes', revision: '', oneOf: ['beef1', '10.12.345'] } }],
        });
        await lab.nodeRollouts.keep([first, second]);

        await lab.nodeRollouts.keep([{ ...first, rebooted: undefined }]);

        const found = async (query: object) =>
          (await lab.nodeRollouts.ended({ limit: 10, cluster: 'ended', ...query })).rollouts;
        expect(await found({})).toEqual([second, first]);
        expect(await found({ limit: 1 })).toEqual([second]);
        expect(await found({ node: 'worker-1' })).toEqual([first]);
        expect(await found({ pool: 'infra' })).toEqual([second]);
        expect(await found({ commit: 'c0ffee' })).toEqual([first]);
        expect(await found({ commit: 'beef' })).toEqual([second]);
        expect(await found({ commit: 'dead' })).toEqual([]);
        expect(await found({ cluster: 'another' })).toEqual([]);
      });

      test('keeps more ended stories than one request takes', async () => {
        const many = Array.from({ length: 35 }, (_, index) =>
          aNodeRollout({ cluster: 'many', node: `worker-${index}` }),
        );

        await lab.nodeRollouts.keep(many);

        expect((await lab.nodeRollouts.ended({ limit: 100, cluster: 'many' })).rollouts).toHaveLength(35);
        expect(await lab.nodeRollouts.ended({ limit: 35, cluster: 'many' })).toMatchObject({ isCut: false });
        expect(await lab.nodeRollouts.ended({ limit: 34, cluster: 'many' })).toMatchObject({ isCut: true });
        expect(await lab.nodeRollouts.ended({ limit: 3 })).toMatchObject({ isCut: true, searched: undefined });
        expect(await lab.nodeRollouts.ended({ limit: 0 })).toMatchObject({ rollouts: [], isCut: false });
      });

      test('what is under way is cut, not lost, where it is too large', async () => {
        const causes = [{ kind: 'git', sources: ['99-a'], why: 'w'.repeat(2_000) }] as const;
        const open = Array.from({ length: 400 }, (_, index) =>
          aNodeRollout({ node: `worker-${index}`, causes, ended: undefined, rebooted: undefined }),
        );

        await lab.nodeRollouts.save(someRollouts({ cluster: 'stories-large', open }));

        const found = await lab.nodeRollouts.load('stories-large');
        expect(found?.open.map(({ node }) => node)).toContain('worker-0');
      });
    });

    describe('incidents', () => {
      const key = { cluster: 'inc-a', pool: 'worker', kind: 'drain-blocked' } as const;

      test('gives back what was saved, one version on', async () => {
        const incident = anIncident({
          key,
          trouble: aTrouble({
            key,
            findings: [
              {
                code: 'P1',
                subject: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
                sentence: 'PDB shop/web allows no disruption',
                confidence: 'certain',
                class: 'structural',
                evidence: [],
                because: [],
                remedies: [
                  { title: 'scale up', command: 'oc scale', risk: 'low', undo: undefined, who: 'application owner' },
                ],
              },
            ],
          }),
          deliveries: { ops: aDelivery({ claim: { owner: 'me', until: '2026-03-02T10:30:00.000Z' } }) },
        });

        const isSaved = await lab.incidents.save(incident);

        expect(isSaved).toBe(true);
        expect(await lab.incidents.loadOne(key)).toEqual({ ...incident, version: 1 });
      });

      test('loads those of one cluster and not of one whose name begins alike', async () => {
        await lab.incidents.save(anIncident({ key: { ...key, cluster: 'inc-b', pool: 'infra' } }));
        await lab.incidents.save(anIncident({ key: { ...key, cluster: 'inc-b', kind: 'node-lost' } }));
        await lab.incidents.save(anIncident({ key: { ...key, cluster: 'inc-b2' } }));
        await lab.incidents.save(anIncident({ key: { ...key, cluster: 'inc-b|worker' } }));

        const loaded = await lab.incidents.load('inc-b');

        expect(loaded.map((incident) => `${incident.key.pool} ${incident.key.kind}`).sort()).toEqual([
          'infra drain-blocked',
          'worker node-lost',
        ]);
      });

      test('knows nothing of a key that was never saved', async () => {
        expect(await lab.incidents.loadOne({ ...key, cluster: 'inc-nobody' })).toBeUndefined();
      });

      test('refuses a writer whose version is not the stored one', async () => {
        const incident = anIncident({ key: { ...key, cluster: 'inc-c' } });
        await lab.incidents.save(incident);

        const outcomes = [
          await lab.incidents.save({ ...incident, seq: 9 }),
          await lab.incidents.save({ ...incident, version: 5, seq: 9 }),
          await lab.incidents.save({ ...incident, version: 1, seq: 2 }),
        ];

        expect(outcomes).toEqual([false, false, true]);
        expect(await lab.incidents.loadOne(incident.key)).toMatchObject({ version: 2, seq: 2 });
      });

      test('refuses a version of an incident that is not stored', async () => {
        const incident = anIncident({ key: { ...key, cluster: 'inc-d' }, version: 3 });

        expect(await lab.incidents.save(incident)).toBe(false);
        expect(await lab.incidents.loadOne(incident.key)).toBeUndefined();
      });

      test('[N-18] lets one of many claims at once win', async () => {
        const incident = anIncident({ key: { ...key, cluster: 'inc-e' } });
        await lab.incidents.save(incident);
        const claim = (owner: string) => ({
          ...incident,
          version: 1,
          deliveries: { ops: aDelivery({ claim: { owner, until: '2026-03-02T10:30:00.000Z' } }) },
        });

        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, index) => lab.incidents.save(claim(`w${index}`))),
        );

        expect(outcomes.filter(Boolean)).toHaveLength(1);
        const winner = `w${outcomes.indexOf(true)}`;
        expect((await lab.incidents.loadOne(incident.key))?.deliveries['ops']?.claim?.owner).toBe(winner);
      });

      test('counts upwards without giving a number twice', async () => {
        const numbers = await Promise.all(Array.from({ length: 10 }, () => lab.incidents.nextNumber()));

        expect(new Set(numbers).size).toBe(10);
        expect(await lab.incidents.nextNumber()).toBeGreaterThan(Math.max(...numbers));
      });

      test('lists what people may want to see, newest first', async () => {
        const at = (minute: string) => ({
          openedAt: `2027-01-01T10:${minute}:00.000Z`,
          since: `2027-01-01T10:00:00.000Z`,
        });
        const listed = { ...key, cluster: 'inc-f' };
        await lab.incidents.save(anIncident({ key: { ...listed, pool: 'a' }, ...at('05') }));
        await lab.incidents.save(
          anIncident({ key: { ...listed, pool: 'b' }, ...at('09'), state: 'ok', outcome: 'fixed' }),
        );
        await lab.incidents.save(anIncident({ key: { ...listed, pool: 'c' }, ...at('07'), state: 'resolving' }));
        await lab.incidents.save(anIncident({ key: { ...listed, pool: 'd' }, ...at('08'), state: 'ok', number: 0 }));

        const pools = (await lab.incidents.list())
          .filter((incident) => incident.key.cluster === 'inc-f')
          .map((incident) => incident.key.pool);

        expect(pools).toEqual(['b', 'c', 'a']);
      });

      test('an incident that is too large is cut, and keeps what its targets are owed', async () => {
        const finding = {
          code: 'N1',
          subject: { kind: 'Node', namespace: '', name: 'worker-1' },
          sentence: 'y'.repeat(2_000),
          confidence: 'likely',
          class: 'unknown',
          evidence: [],
          because: [],
          remedies: [],
        } as const;
        const large = anIncident({
          key: { ...key, cluster: 'inc-g' },
          trouble: aTrouble({ findings: Array.from({ length: 300 }, () => finding) }),
          deliveries: { ops: aDelivery({ wantedSeq: 4 }) },
        });

        expect(await lab.incidents.save(large)).toBe(true);
        const stored = await lab.incidents.loadOne(large.key);
        expect(stored).toMatchObject({ state: 'firing', deliveries: { ops: { wantedSeq: 4 } } });
        expect(stored?.trouble?.headline).toBe(large.trouble?.headline);
      });
    });
  });
}

function aSet(name: string, change: Partial<SetRoute> = {}): SetRoute {
  const paths = ['clusters/*/config.json'];
  return {
    ref: { argocd: 'routes-a', namespace: 'argocd', name },
    generators: [{ repoURL: 'https://github.com/acme/a', revision: 'HEAD', reads: 'files', paths }],
    readsAnyPush: false,
    looksEverySeconds: 180,
    ...change,
  };
}
