import { describe, expect, test } from 'vitest';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { CalendarAddress } from '../../../../functions/core/configuration/calendar-address.ts';
import { defaultPoolSettings, type PoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { GateTimeouts } from '../../../../functions/core/configuration/gate-timeouts.ts';
import { Ticket } from '../../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { type Evidence, type EvidenceKind, evidenceByCost } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { calendarId, type KeptCalendar, withKeptCalendars } from '../../../../functions/core/windows/kept-calendars.ts';
import { aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from './a-gate-question.ts';

const now = new Date('2026-03-02T12:00:00Z');
const before = '2026-03-02T09:00:00Z';
const calendarFrom = CalendarAddress.parse({ url: 'https://calendar.example.com/a.ics' });
const byAddress = Window.parse({ kind: 'deny', calendarFrom });
const kept: KeptCalendar = {
  id: calendarId(calendarFrom),
  triedAt: before,
  copy: { text: 'BEGIN:VCALENDAR\nEND:VCALENDAR\n', readAt: before },
};

/** Every gate has something to ask. */
const settings: PoolSettings = {
  ...defaultPoolSettings,
  wave: 1,
  protection: 'guard',
  drainable: 'block',
  overrun: 'part',
  approve: Approve.parse({ by: ['slack:U0000ALICE'] }),
  ticket: Ticket.parse({ url: 'https://itsm.example.com' }),
};
const settingsOf = (name: string) => (name === 'infra' ? { ...settings, wave: 0 } : settings);
const pending = aPool({ paused: true, target: { name: 'rendered-worker-2', sources: [] } });
const approval = {
  cluster: 'prod',
  pool: 'worker',
  config: 'rendered-worker-2',
  who: 'slack:U0000ALICE',
  name: 'alice',
  verb: 'approve' as const,
  at: before,
  reason: '',
};

/** All of it was read, and lets the pool go. */
const evidence: Evidence = {
  approvals: seen([approval]),
  nodesBehind: seen([{ name: 'worker-0', hasJustJoined: false }]),
  controllers: seen([]),
  drains: seen({ touched: 1, obstacles: [], unread: [] }),
  versionUpdate: seen({ kind: 'none' }),
  images: noImages,
  pace: seen(undefined),
  place: seen({ kind: 'taken', since: '2026-03-02T10:00:00Z', instead: undefined }),
  calendars: seen([kept]),
  openGuards: seen([]),
  ticket: seen({ status: 200, value: undefined }),
  turn: seen({ mayGo: true, why: '', waitsFor: [] }),
  guests: seen([]),
};

const pendingInTurn: Partial<GateQuestion> = {
  pool: pending,
  pools: [pending],
  step: { sequence: 'virt', id: 'worker@prod' },
  budget: {},
  release: { since: before, finishedAt: before, machineConfigs: ['99-a'], why: '' },
  machineConfigs: [{ name: '99-a', labels: {} }],
};
const goingBack = aPool({
  paused: true,
  counts: { machines: 3, updated: 2, ready: 3, unavailable: 0, degraded: 0 },
});

/** Pools that may go by all of it. */
const questions: Readonly<Record<string, Partial<GateQuestion>>> = {
  'a change waits': pendingInTurn,
  'it is the canary of a run': { ...pendingInTurn, canaryOf: 'upgrade' },
  'it rests, and may have nodes behind': {
    pool: goingBack,
    pools: [goingBack],
    settings: { ...settings, protection: 'rest', approve: undefined },
    budget: {},
  },
};

interface Unread {
  /** Gates that it closes, of the pool for which a change waits or else of the others; empty: none by itself. */
  readonly closes: readonly string[];
  readonly change: (question: GateQuestion) => Partial<GateQuestion>;
}

function invalid(kind: string): Unread['change'] {
  const unreadable = [{ kind, namespace: '', name: 'a', why: 'has no spec' }];
  const images = seen({ kind: 'listed' as const, configs: [], builds: [], unreadable, isServed: true });
  return ({ evidence: other }) => ({ evidence: { ...other, images } });
}

const closedByUnread: Readonly<Record<EvidenceKind, readonly string[]>> = {
  approvals: ['approval'],
  nodesBehind: ['rest'],
  controllers: ['quiet'],
  drains: ['drainable'],
  versionUpdate: ['upgrade'],
  images: ['approval', 'image'],
  // The planned one is used.
  pace: [],
  place: ['budget'],
  calendars: ['window'],
  openGuards: ['guard'],
  ticket: ['ticket'],
  turn: ['sequence'],
  guests: ['canary'],
};

function calendarsOf(calendars: Evidence['calendars']): Unread {
  return { closes: ['window'], change: ({ evidence: other }) => ({ evidence: { ...other, calendars } }) };
}

/** Everything that may not be readable. */
const unread: Readonly<Record<string, Unread>> = {
  ...Object.fromEntries(
    evidenceByCost.map((kind): readonly [string, Unread] => [
      kind,
      {
        closes: closedByUnread[kind],
        change: ({ evidence: other }) => ({ evidence: { ...other, [kind]: unreadable('503') } }),
      },
    ]),
  ),
  'a calendar that was never read': calendarsOf(seen([])),
  'a calendar that was read days ago': calendarsOf(
    seen([
      {
        ...kept,
        failure: { since: before, why: '503' },
        copy: { text: kept.copy?.text ?? '', readAt: '2026-02-27T09:00:00Z' },
      },
    ]),
  ),
  'a calendar that is not understood': calendarsOf(
    seen([{ ...kept, copy: { text: '<html>login</html>', readAt: before } }]),
  ),
  'a calendar file that is not understood': {
    closes: ['window'],
    change: ({ windows }) => ({ windows: [...windows, Window.parse({ kind: 'allow', ics: 'no calendar' })] }),
  },
  'a MachineOSConfig that cannot be parsed': {
    closes: ['approval'],
    change: invalid('MachineOSConfig'),
  },
  'a MachineOSBuild that cannot be parsed': {
    closes: [],
    change: invalid('MachineOSBuild'),
  },
  'a pool of a lower wave that cannot be parsed': {
    closes: ['wave'],
    change: () => ({ unreadablePools: [{ name: 'infra', isResumed: false }] }),
  },
  'a resumed pool that cannot be parsed': {
    closes: ['wave', 'health'],
    change: () => ({ unreadablePools: [{ name: 'infra', isResumed: true }] }),
  },
  'the labels of a MachineConfig': {
    closes: ['rendered'],
    change: () => ({ unreadMachineConfigs: new Map([['99-a', '503']]) }),
  },
};

type Action = 'resume' | 'drop';

/** Since three hours every gate has been closed, and its time of two hours is over. */
function ask(question: Partial<GateQuestion>, names: readonly string[], action: Action = 'drop') {
  const all = gates.map(({ name }) => name);
  const since = Object.fromEntries(all.map((name) => [name, before]));
  const configured = Object.fromEntries(all.map((name) => [name, { afterSeconds: 7200, action }]));
  const known = all.filter((name) => GateTimeouts.safeParse({ [name]: configured[name] }).success);
  const base = aGateQuestion({ settings, settingsOf, evidence, windows: [byAddress], now, ...question });
  const gateTimeouts = GateTimeouts.parse(Object.fromEntries(known.map((name) => [name, configured[name]])));
  const policy = { ...base.policy, gates: gateTimeouts };
  let changed: GateQuestion = { ...base, policy, closedSince: since, readSince: since };
  for (const name of names) changed = { ...changed, ...unread[name]?.change(changed) };
  const windows = withKeptCalendars(changed.windows, changed.evidence.calendars, now);
  return askGates(gates, { ...changed, windows });
}

describe('what could not be read', () => {
  test.each(Object.entries(questions))('lets go, once it is read, a pool of which %s', (_, question) => {
    expect(ask(question, [])).toMatchObject({ closed: [], skipped: [], lacking: undefined });
  });

  test.each(Object.entries(unread))('[N-30] %s closes its gates', (name, { closes }) => {
    const closed = Object.values(questions).flatMap((question) => ask(question, [name]).closed);

    expect(closed.map(({ gate }) => gate)).toEqual(expect.arrayContaining([...closes]));
    if (closes.length === 0) expect(closed).toEqual([]);
  });

  test('[property] [N-16] [N-30] neither passes a gate nor gives a pool up when its time is over, but is told', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(questions)),
        fc.subarray(Object.keys(unread), { minLength: 1 }),
        fc.constantFrom<Action>('resume', 'drop'),
        (question, names, action) => {
          const { closed, skipped } = ask(question, names, action);

          expect(skipped).toEqual([]);
          expect(closed.filter(({ isUnseen }) => isUnseen !== true)).toEqual([]);
          expect(closed.filter(({ timeout }) => timeout?.action === action)).toEqual([]);
          // To rest takes no time that could be over: it is told by the nodes that may wait (resting.test.ts).
          expect(closed.filter(({ gate, timeout }) => gate !== 'rest' && timeout?.action !== 'alert')).toEqual([]);
        },
      ),
    );
  });
});
