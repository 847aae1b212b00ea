import type { ClusterSettings } from '../configuration/cluster.ts';
import { askGates } from '../gates/ask-gates.ts';
import type { GateView } from '../gates/gate-view.ts';
import { gates } from '../gates/index.ts';
import { gateQuestion } from '../holds/gate-question.ts';
import { noForecast } from '../holds/skip-harmless.ts';
import type { Snapshot } from '../holds/snapshot.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord } from '../openshift/pool-record.ts';
import { clockTime } from '../text/durations.ts';
import { notAsked } from '../text/observed.ts';
import { openingsOf, windowsFor } from '../windows/openings.ts';

/** The cluster of a change that has not landed, as it is now. */
export interface ClusterNow {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  readonly now: Date;
}

/** Read for every rollout, and nearly always open. */
const alwaysAsked: ReadonlySet<string> = new Set(['quiet', 'upgrade', 'fit']);

/** What stands between a change and its rollout on a pool, as known ahead: the next window, the gates that are closed
 *  now, and those that will be asked. In our words and with names of pools only, for everybody to read. */
export function rolloutAhead(pool: Pool, { settings, pools, now }: ClusterNow): readonly string[] {
  const { closed } = askGates(gates, gateQuestion(emptyRecord, changed(pool), snapshotOf(settings, pools), now));
  const asked = closed.filter(({ gate, unread }) => unread === true && !alwaysAsked.has(gate));
  const known = closed.filter(({ unread }) => unread !== true);
  return [
    ...windowText(pool, settings, now),
    ...(known.length === 0 ? [] : [`closed now: ${known.map((gate) => closedText(gate, now)).join(', ')}`]),
    ...(asked.length === 0 ? [] : [`needed before: ${asked.map(askedText).join(', ')}`]),
  ];
}

/** The pool with the change rendered and not rolled out. */
function changed(pool: Pool): Pool {
  const target = { ...pool.target, name: `${pool.target.name}-changed` };
  return { ...pool, paused: true, target, counts: { ...pool.counts, updated: 0 } };
}

function snapshotOf(settings: ClusterSettings, pools: readonly Pool[]): Snapshot {
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
    evidence: new Map(),
    gatesClosedSince: {},
  };
}

function windowText(pool: Pool, { windows = [] }: ClusterSettings, now: Date): readonly string[] {
  const own = windowsFor(windows, pool);
  if (own.length === 0) return [];
  const [next] = openingsOf(own, now, 1);
  if (next === undefined) return ['no window opens within a year'];
  const isOpen = Date.parse(next.from) <= now.getTime();
  const end = next.to === undefined ? 'without an end within a year' : clockTime(next.to, now);
  if (isOpen) return [next.to === undefined ? 'its window is open' : `its window is open until ${end}`];
  return [`next window ${clockTime(next.from, now)}${next.to === undefined ? `, ${end}` : ` to ${end}`}`];
}

function closedText({ gate, value, opensAt }: GateView, now: Date): string {
  return `gate ${gate} (${value}${opensAt === undefined ? '' : `, opens ${clockTime(opensAt, now)}`})`;
}

function askedText({ gate, threshold }: GateView): string {
  return `gate ${gate} (${threshold})`;
}
