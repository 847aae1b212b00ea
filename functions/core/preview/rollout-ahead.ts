import type { ClusterSettings } from '../configuration/cluster.ts';
import { askGates } from '../gates/ask-gates.ts';
import { noEvidence } from '../gates/evidence.ts';
import type { GateView } from '../gates/gate-view.ts';
import { gates } from '../gates/index.ts';
import { gateQuestion } from '../holds/gate-question.ts';
import { noForecast } from '../holds/skip-harmless.ts';
import type { Snapshot } from '../holds/snapshot.ts';
import type { OwnPace } from '../impact/node-pace.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord } from '../openshift/pool-record.ts';
import { clockTime } from '../text/durations.ts';
import { given } from '../text/given.ts';
import { notAsked, type Observed, seen } from '../text/observed.ts';
import { calendarFault } from '../windows/calendar-windows.ts';
import { type KeptCalendar, withKeptCalendars } from '../windows/kept-calendars.ts';
import { openingsOf, windowsFor } from '../windows/openings.ts';

/** The cluster of a change that has not landed, as it is now. */
export interface ClusterNow {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  /** By pool, where it is known; absent: for none. */
  readonly paces?: Readonly<Record<string, OwnPace>> | undefined;
  /** What is kept of calendars that are read by their addresses; absent: not read. */
  readonly calendars?: Observed<readonly KeptCalendar[]> | undefined;
  readonly now: Date;
}

/** What stands between a change and its rollout on a pool, as known ahead. In our words and with names of pools only,
 *  for everybody to read. */
export interface RolloutAhead {
  /** Absent: the pool has no windows. */
  readonly window?: WindowAhead | undefined;
  /** Gates that are closed now, by what is known without a read of the cluster. */
  readonly closed: readonly GateView[];
  /** Gates that will be asked, and are not always. */
  readonly asked: readonly GateView[];
}

export type WindowAhead =
  /** ISO instants; `to` is absent where no end was found within a year. */
  | { readonly kind: 'open' | 'next'; readonly from: string; readonly to?: string | undefined }
  /** Within a year. */
  | { readonly kind: 'never' }
  /** A calendar of its windows is not known here. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Read for every rollout, and nearly always open. */
const alwaysAsked: ReadonlySet<string> = new Set(['quiet', 'image', 'upgrade', 'fit']);

export function rolloutAhead(pool: Pool, cluster: ClusterNow): RolloutAhead {
  const { now } = cluster;
  const { closed } = askGates(gates, gateQuestion(emptyRecord, changed(pool), snapshotOf(pool, cluster), now));
  const window = windowAhead(pool, cluster);
  return {
    ...given({ window }),
    closed: closed.filter(({ unread }) => unread !== true),
    asked: closed.filter(({ gate, unread }) => unread === true && !alwaysAsked.has(gate) && gate !== 'window'),
  };
}

/** The same in words; empty: nothing is known that it waits for. */
export function aheadText({ window, closed, asked }: RolloutAhead, now: Date): readonly string[] {
  return [
    ...(window === undefined ? [] : [windowText(window, now)]),
    ...(closed.length === 0 ? [] : [`closed now: ${closed.map((gate) => closedText(gate, now)).join(', ')}`]),
    ...(asked.length === 0 ? [] : [`needed before: ${asked.map(askedText).join(', ')}`]),
  ];
}

/** The pool with the change rendered and not rolled out. */
function changed(pool: Pool): Pool {
  const target = { ...pool.target, name: `${pool.target.name}-changed` };
  return { ...pool, paused: true, target, counts: { ...pool.counts, updated: 0 } };
}

function snapshotOf(pool: Pool, { settings, pools, paces, calendars = notAsked, now }: ClusterNow): Snapshot {
  const pace = paces?.[pool.name];
  const evidence = { ...noEvidence, calendars, ...(pace === undefined ? {} : { pace: seen(pace, now) }) };
  return {
    settings,
    pools,
    applications: [],
    pushes: new Map(),
    changes: new Map(),
    expected: [],
    parents: [],
    machineConfigs: [],
    choosers: notAsked,
    disruption: noForecast,
    published: {},
    evidence: new Map([[pool.name, evidence]]),
    gatesClosedSince: {},
  };
}

function windowAhead(pool: Pool, { settings, calendars = notAsked, now }: ClusterNow): WindowAhead | undefined {
  const own = withKeptCalendars(windowsFor(settings.windows ?? [], pool), calendars, now);
  if (own.length === 0) return undefined;
  const fault = own.map((each) => calendarFault(each, now.getTime())).find((each) => each !== undefined);
  if (fault !== undefined) return { kind: 'unknown', why: fault };
  const [next] = openingsOf(own, now, 1);
  if (next === undefined) return { kind: 'never' };
  return { kind: Date.parse(next.from) <= now.getTime() ? 'open' : 'next', from: next.from, to: next.to };
}

function windowText(window: WindowAhead, now: Date): string {
  if (window.kind === 'never') return 'no window opens within a year';
  // Why a server does not answer is not for everybody.
  if (window.kind === 'unknown') return 'its windows follow a calendar that is not known here';
  const { kind, from, to } = window;
  if (kind === 'open')
    return to === undefined ? 'its window is open' : `its window is open until ${clockTime(to, now)}`;
  const end = to === undefined ? ', without an end within a year' : ` to ${clockTime(to, now)}`;
  return `next window ${clockTime(from, now)}${end}`;
}

function closedText({ gate, value, opensAt }: GateView, now: Date): string {
  return `gate ${gate} (${value}${opensAt === undefined ? '' : `, opens ${clockTime(opensAt, now)}`})`;
}

function askedText({ gate, threshold }: GateView): string {
  return `gate ${gate} (${threshold})`;
}
