import { byNeed } from '../alerts/by-need.ts';
import type { Incident } from '../alerts/incident.ts';
import { incidentName, stateWord } from '../alerts/incident-words.ts';
import { codeSpan, mrkdwn } from '../alerts/message.ts';
import { identitiesOf } from '../configuration/approve.ts';
import type { GateView } from '../gates/gate-view.ts';
import { type Wait, waitFacts, waitTitle } from '../gates/wait.ts';
import { configOfChange } from '../openshift/change-name.ts';
import { isOutOfOrder } from '../openshift/is-out-of-order.ts';
import { clockTime, duration, secondsBetween, withClockTimes } from '../text/durations.ts';
import { counted, listed } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import { asPrinted } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import { isOverridden } from '../timeline/is-overridden.ts';
import { isAhead, isStale } from '../timeline/is-stale.ts';
import { movementOf } from '../timeline/movement.ts';
import { poolAsOf } from '../timeline/pool-as-of.ts';
import { type UnreadablePool, unreadableWords } from '../timeline/unreadable-pool.ts';
import type { ClusterView, PoolView } from '../timeline/view.ts';
import { keepsPaused, waitsOf } from '../timeline/waits-of.ts';
import type { AskedRequest, ClusterRequest } from './asked-request.ts';
import { requestWords } from './request-words.ts';
import { slackCommand } from './undo-of.ts';

/** Lines of escaped mrkdwn for one person. Every text of a cluster or a person is escaped and bounded here. */

export interface Known {
  /** Those that the channel hears of, in the order of the configuration. Views and incidents likewise. */
  readonly clusters: readonly string[];
  readonly views: readonly ClusterView[];
  readonly incidents: readonly Incident[];
  /** What there is besides. */
  readonly unheard: { readonly clusters: number; readonly pools: number; readonly incidents: number };
  readonly statusUrl: string | undefined;
  readonly now: Date;
}

/** Seconds. Three ticks of a minute. */
const staleAfterSeconds = 180;
/** Incidents and clusters with something to tell that an answer shows. */
const shownAtMost = 15;
/** UTF-16 units of the pools in the line of a cluster. */
const poolsLineAtMost = 2_400;
/** Clusters of each kind of which `why` says what nobody has seen. */
const unseenAtMost = 5;
/** Pools that `why` explains. */
const poolsAtMost = 8;
/** UTF-16 units of what they wait for: below what an answer has room for. */
const waitsAtMost = 6_000;

const lights = { critical: '🔴', high: '🔴', warning: '🟠', info: '🔵' } as const;

/** How all is, or one cluster: the worst first. Calm is only said of what was read lately and neither waits nor
 *  recovers. */
export function statusAnswer(only: string, known: Known): string {
  const names = known.clusters.filter((name) => only === '' || name === only);
  if (names.length === 0) return 'No cluster is configured whose messages come to this channel.';
  const incidents = byNeed(
    known.incidents.filter(({ state, key }) => state !== 'ok' && (only === '' || key.cluster === only)),
  );
  const clusters = names.map((name) => clusterLine(name, known));
  const told = clusters.flatMap(({ line, calm }) => (calm ? [] : [line]));
  const calm = clusters.length - told.length;
  return [
    ...bounded(incidents.map((incident) => incidentLine(incident, known.now))),
    ...bounded(told),
    ...(calm === 0 ? [] : [calmLine(calm, incidents.length + told.length, names)]),
    ...unheardLine(known),
    ...linkOf(known.statusUrl),
  ].join('\n');
}

/** Nothing is called well by leaving it out. */
function unheardLine({ unheard: { clusters, pools, incidents } }: Known): readonly string[] {
  const left = [
    ...(clusters === 0 ? [] : [counted(clusters, 'cluster')]),
    ...(pools === 0 ? [] : [counted(pools, 'pool')]),
    ...(incidents === 0 ? [] : [counted(incidents, 'incident')]),
  ];
  return left.length === 0
    ? []
    : [`_Not shown, because their messages do not come to this channel: ${listed(left, 3)}._`];
}

/** The address is one of the configuration. */
function linkOf(statusUrl: string | undefined): readonly string[] {
  return statusUrl !== undefined && /^https?:\/\/[^\s|<>]{1,1000}$/.test(statusUrl)
    ? [`<${encodeURI(statusUrl)}|Status page>`]
    : [];
}

function calmLine(calm: number, other: number, names: readonly string[]): string {
  const [name = ''] = names;
  const others = calm === 1 ? 'The other cluster' : `The other ${counted(calm, 'cluster')}`;
  const several = other === 0 ? `All ${counted(calm, 'cluster')}` : others;
  const whose = names.length === 1 ? codeSpan(name) : several;
  return `🟢 ${whose}: read lately; no pool is paused, waits or rolls out`;
}

function incidentLine({ state, number, key, trouble, since, inhibitedBy }: Incident, now: Date): string {
  const light = state === 'resolving' ? '🟡' : lights[trouble?.severity ?? 'info'];
  const word = state === 'pending' ? 'PENDING' : stateWord(state);
  const name = number > 0 && state !== 'pending' ? ` ${codeSpan(incidentName(number))}` : '';
  const place = key.pool === '*' ? key.cluster : `${key.cluster}/${key.pool}`;
  const age = since === undefined ? '' : ` (${duration(secondsBetween(since, now))})`;
  const behind = inhibitedBy === undefined ? '' : `, behind ${said(inhibitedBy, 120)}`;
  return `${light} ${word}${name} ${codeSpan(safeLine(place, 200))}: ${said(trouble?.headline ?? key.kind, 300)}${age}${behind}`;
}

function viewOf(name: string, { views }: Pick<Known, 'views'>): ClusterView | undefined {
  return views.find(({ cluster }) => cluster === name);
}

function clusterLine(name: string, { views, now }: Known): { readonly line: string; readonly calm: boolean } {
  const view = viewOf(name, { views });
  const who = codeSpan(name);
  if (view === undefined || view.readAt === '')
    return {
      line: `⚪ ${who}: never read${view?.blind === undefined ? '' : `: ${said(view.blind.why, 200)}`}`,
      calm: false,
    };
  if (isUnread(view, now)) {
    const why = view.blind === undefined ? '' : `: ${said(view.blind.why, 200)}`;
    // Its clock was set back since, and what is read now does not take its place.
    const at = clockTime(view.readAt, now);
    const words = isAhead(view.readAt, now)
      ? `last read ${at}, by a clock that was set back since`
      : `not read since ${at}`;
    return { line: `⚪ ${who}: ${words}${why}`, calm: false };
  }
  const telling = [
    ...partWords(view),
    ...leftOutWords(view),
    ...(view.unreadablePools ?? []).map((pool) => unparsedWords(pool, now)),
    ...view.pools.flatMap((pool) => poolWords(pool, now)),
    ...guardWords(view),
  ];
  return { line: `🟠 ${who}: ${poolsLine(telling)}`, calm: telling.length === 0 };
}

/** Without them nothing rolls out, whatever the pools say of themselves. */
function partWords({ operatorParts }: ClusterView): readonly string[] {
  const parts = (operatorParts?.parts ?? []).filter(isOutOfOrder);
  return parts.map(({ name, state, says }) => `${codeSpan(safeLine(name, 100))} is ${state} (${said(says, 120)})`);
}

/** Pools that the view has no room for, of which nothing else is known. */
function leftOutWords({ poolsLeftOut: left }: ClusterView): readonly string[] {
  if (left === undefined) return [];
  const { all, paused, degraded } = left;
  return [`${counted(all, 'pool')} not shown for lack of room, of them ${paused} paused and ${degraded} degraded`];
}

function unparsedWords(pool: UnreadablePool, now: Date): string {
  return `${codeSpan(safeLine(pool.name, 100))} ${withClockTimes(unreadableWords(pool), now)}`;
}

/** Those that the question is about: none of them is paused, or not there, as far as anybody knows. */
function unparsedLines(pool: string, views: readonly ClusterView[], now: Date): readonly string[] {
  const having = views.flatMap(({ cluster, unreadablePools = [] }) => {
    const asked = unreadablePools.filter(({ name }) => pool === '' || name === pool);
    return asked.length === 0 ? [] : [{ cluster, asked }];
  });
  const room = poolsLineAtMost / Math.min(having.length, unseenAtMost);
  const lineOf = ({ cluster, asked }: (typeof having)[number]) =>
    `⚪ ${codeSpan(cluster)}: ${poolsLine(
      asked.map((each) => unparsedWords(each, now)),
      room,
    )}`;
  return bounded(having.map(lineOf), unseenAtMost);
}

function guardWords({ guards = [] }: ClusterView): readonly string[] {
  if (guards.length === 0) return [];
  return [`${counted(guards.length, 'guard')} ${guards.length === 1 ? 'stays' : 'stay'} closed`];
}

/** As many pools as there is room for: whoever may create Applications names those that hold them. */
function poolsLine(telling: readonly string[], room = poolsLineAtMost): string {
  let size = 0;
  const shown = telling.slice(0, shownAtMost).filter((words) => {
    size += words.length + 2;
    return size <= room;
  });
  const more = telling.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`and ${counted(more, 'more pool')}`])].join('; ');
}

function poolWords(pool: PoolView, now: Date): readonly string[] {
  const words = [
    ...(pool.degraded ? ['degraded'] : []),
    ...(pool.paused ? [pausedWords(pool, now)] : []),
    ...(isOverridden(pool) ? ['resumed past a hold'] : []),
    ...(pool.pending && (pool.paused || !pool.updating) ? ['a change is pending'] : movementWords(pool)),
  ];
  return words.length === 0 ? [] : [`${codeSpan(safeLine(pool.name, 100))} ${words.join(', ')}`];
}

function movementWords(pool: PoolView): readonly string[] {
  const { paused, counts } = pool;
  const movement = paused ? 'none' : movementOf(pool);
  switch (movement) {
    case 'rolls':
      return [`rolls out (${counts.updated} of ${counts.machines})`];
    case 'lacks-nodes':
      return ['has nodes cordoned or not ready'];
    case 'none':
      return [];
    default:
      return movement satisfies never;
  }
}

function pausedWords({ pauseOf, pausedBy, pausedSince, holds, closedGates }: PoolView, now: Date): string {
  const by = pauseOf === 'ours' ? '' : ` by ${said(pausedBy === '' ? 'an unknown writer' : pausedBy, 80)}`;
  const since = pausedSince === undefined ? '' : ` for ${duration(secondsBetween(pausedSince, now))}`;
  const hold = holds.find(keepsPaused);
  const [gate] = closedGates;
  const reason = hold === undefined ? (gate === undefined ? '' : `: gate ${gate.gate}`) : `: ${said(hold.who, 120)}`;
  return `paused${by}${since}${reason}`;
}

/** Why pools are paused, in the words of the other surfaces. */
export function whyAnswer(
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
  known: Known,
): string {
  const views = known.views.filter(
    (view) => known.clusters.includes(view.cluster) && (cluster === '' || view.cluster === cluster),
  );
  const unread = known.clusters.filter(
    (name) => (cluster === '' || name === cluster) && isUnread(viewOf(name, known), known.now),
  );
  const found = views.flatMap((view) =>
    view.pools
      .filter(({ name, paused }) => (pool === '' ? paused : name === pool))
      .map((each) => ({ view, pool: each })),
  );
  const told = found.slice(0, poolsAtMost);
  const answers = told.map((each) => poolAnswer(each, { room: waitsAtMost / told.length, now: known.now }));
  const more = found.length - answers.length;
  const unparsed = unparsedLines(pool, views, known.now);
  const isToldOf = found.length > 0 || (pool !== '' && unparsed.length > 0);
  return [
    ...(isToldOf ? answers : [nothingFound({ cluster, pool }, views)]),
    ...unparsed,
    ...(more > 0 ? [`_${counted(more, 'more pool')}: name one._`] : []),
    ...(pool !== '' && isToldOf
      ? []
      : bounded(
          views.flatMap((view) => leftOutWords(view).map((words) => `⚪ ${codeSpan(view.cluster)}: ${words}`)),
          unseenAtMost,
        )),
    ...bounded(
      unread.map((name) => clusterLine(name, known).line),
      unseenAtMost,
    ),
    ...unheardLine(known),
  ].join('\n');
}

function isUnread(view: ClusterView | undefined, now: Date): boolean {
  return (
    view === undefined || view.readAt === '' || view.blind !== undefined || isStale(view.readAt, now, staleAfterSeconds)
  );
}

function nothingFound(
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
  views: readonly ClusterView[],
): string {
  if (pool === '') return 'No pool that was read is paused.';
  const names = unique(views.flatMap(({ pools, unreadablePools = [] }) => [...pools, ...unreadablePools]).map(nameOf))
    .toSorted()
    .slice(0, 15);
  const where = cluster === '' ? '' : ` on ${codeSpan(cluster)}`;
  if (views.some(({ poolsLeftOut }) => poolsLeftOut !== undefined))
    return `Pool ${codeSpan(pool)}${where} is not among those shown.`;
  const known = names.length === 0 ? '' : ` There is ${names.map((name) => codeSpan(safeLine(name, 100))).join(', ')}.`;
  return `There is no pool ${codeSpan(pool)}${where}.${known}`;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function poolAnswer(
  { view, pool }: { readonly view: ClusterView; readonly pool: PoolView },
  { room, now }: { readonly room: number; readonly now: Date },
): string {
  const place = codeSpan(safeLine(`${view.cluster}/${pool.name}`, 200));
  const read = `read ${clockTime(view.readAt, now)}`;
  if (!pool.paused) {
    const words = poolWords(pool, now).map((each) => each.slice(each.indexOf(' ') + 1));
    return `*${place} is not paused*${words.length === 0 ? '' : `: ${words.join(', ')}`} (${read})`;
  }
  const waits = waitsOf(poolAsOf(pool, now), view.cluster);
  // Whoever may create Applications makes any number of holds: they take no room of what comes after them.
  const holds = waits.now.filter(({ kind }) => kind === 'hold');
  const [pauses, gates] = [
    waits.now.filter(({ kind }) => kind === 'pause'),
    waits.now.filter(({ kind }) => kind === 'gate'),
  ];
  const within = (some: readonly Wait[]) => waitsWithin(some, { room: room / 3, now });
  return [
    `*${place} is ${pausedWords({ ...pool, holds: [], closedGates: [] }, now)}* (${read})`,
    ...[pauses, holds, gates].flatMap(within),
    ...(waits.afterwards.length === 0 ? [] : ['_Afterwards_', ...within(waits.afterwards)]),
    ...(waits.override === undefined ? [] : [`Past all of this: ${codeSpan(waits.override)}`]),
  ].join('\n');
}

/** The first ones, at least one; the others are counted. */
function waitsWithin(
  waits: readonly Wait[],
  { room, now }: { readonly room: number; readonly now: Date },
): readonly string[] {
  let size = 0;
  const shown = waits
    .map((wait) => waitLines(wait, now))
    .filter((lines, index) => {
      size += lines.join('\n').length + 1;
      return index === 0 || size <= room;
    });
  const more = waits.length - shown.length;
  return [
    ...shown.flat(),
    ...(more === 0 ? [] : [`_${more} more ${more === 1 ? 'entry' : 'entries'}: see the status page._`]),
  ];
}

function waitLines(wait: Wait, now: Date): readonly string[] {
  const facts = waitFacts(wait).filter(({ label }) => label !== 'Command');
  const words = facts.map(({ label, value }) => `${label}: ${said(withClockTimes(value, now), 300)}`);
  return [
    `• *${said(waitTitle(wait), 150)}*: ${said(withClockTimes(wait.why, now), 500)}`,
    words.join(' · '),
    ...commandLine('Command', wait.how),
  ];
}

/** Characters of a command. */
const commandLimit = 400;

/** In full, or not at all: half a command, or a changed one, does something else. */
function commandLine(label: string, command: string | undefined): readonly string[] {
  const shown = command === undefined || command.length > commandLimit ? undefined : asPrinted(command);
  return shown === undefined ? [] : [`${label}: ${codeSpan(shown)}`];
}

/** What waits for approval in a pool, and the command that approves exactly that. */
export function approvalAnswer(
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
  known: Known,
): string {
  const found = poolIn(known, { cluster, pool });
  if (found === undefined) return whyAnswer({ cluster, pool }, known);
  const gate = approvalGateOf(found);
  // What was read too long ago is not what waits now.
  const unread = isUnread(viewOf(cluster, known), known.now) ? [clusterLine(cluster, known).line] : [];
  if (gate === undefined) {
    const place = codeSpan(`${cluster}/${pool}`);
    const none =
      unread.length === 0 ? `Nothing waits for approval in ${place}.` : `What waits in ${place} is not known.`;
    return [none, ...unread].join('\n');
  }
  const { change, takes } = found;
  const parts = (change?.parts ?? []).slice(0, 8).map((part) => `• ${said(part, 200)}`);
  return [
    `*${codeSpan(`${cluster}/${pool}`)}*: ${said(gate.why, 500)}`,
    ...(change?.class === undefined
      ? []
      : [`Disruption of its nodes: ${said(change.class, 40)}${takes === undefined ? '' : `; ${said(takes, 200)}`}`]),
    ...parts,
    `Opens: ${said(gate.opens, 300)}`,
    ...(gate.approves === undefined
      ? []
      : [
          `Approve exactly this: ${codeSpan(`${slackCommand} approve ${cluster}/${pool} ${safeLine(gate.approves, 330)} REASON`)}`,
        ]),
    ...unread,
  ].join('\n');
}

/** To somebody whose approval does not count for the change that waits; undefined: it does, or none is known.
 *  @param who the identity that approved, as `slack:U0123456789` */
export function notApprovedAnswer(
  {
    cluster,
    pool,
    approved,
    who,
  }: { readonly cluster: string; readonly pool: string; readonly approved: string; readonly who: string },
  known: Known,
): string | undefined {
  const found = poolIn(known, { cluster, pool });
  const gate = found && approvalGateOf(found);
  if (gate === undefined) return undefined;
  const why = whyNotFor(gate, { approved, who });
  if (why === undefined) return undefined;
  return [
    `⚠ Your approval of ${codeSpan(safeLine(approved, 330))} counts for nothing that waits in ${codeSpan(`${cluster}/${pool}`)}: ${why}.`,
    approvalAnswer({ cluster, pool }, known),
  ].join('\n');
}

function whyNotFor(
  gate: GateView,
  { approved, who }: { readonly approved: string; readonly who: string },
): string | undefined {
  const { approves } = gate;
  if (approves === approved) return hasPushedIt(gate, who) ? pushedByThem : undefined;
  if (approves === undefined) return 'nothing can be approved there now';
  return configOfChange(approves) === approved
    ? 'it does not name the image, and the pool has one of its own (image mode)'
    : 'another config waits';
}

/** Ends a sentence that says that an approval does not count. */
export const pushedByThem = 'you pushed it, and the pool excludes whoever did (approve.excludePusher)';

/** Whether an approval by this identity counts for nothing there, because it is of somebody who pushed. */
export function hasPushedIt({ excludes = [] }: Pick<GateView, 'excludes'>, who: string): boolean {
  return excludes.some((person) => identitiesOf(person).includes(who));
}

function poolIn(
  { views }: Known,
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
): PoolView | undefined {
  return viewOf(cluster, { views })?.pools.find(({ name }) => name === pool);
}

/** Closed, or ahead of a pool that is not paused yet. */
export function approvalGateOf({ closedGates, gatesAhead = [] }: PoolView): GateView | undefined {
  return [...closedGates, ...gatesAhead].find(({ gate }) => gate === 'approval');
}

/** What came of a request. */
export function outcomeAnswer({ outcome, cluster }: Pick<AskedRequest, 'outcome' | 'cluster'>): string {
  if (outcome === undefined) return 'Nothing is known of it yet.';
  const lines = outcome.said.split('\n').map((line) => said(line, 600));
  const { undo } = outcome;
  // On a command line it is about the cluster of the current context, which may be another.
  const isTyped = undo?.startsWith(`${slackCommand} `) === false;
  const label = isTyped ? `Undo, in your context of ${codeSpan(cluster)}` : 'Undo';
  return [...lines, ...commandLine(label, undo)].join('\n');
}

/** The request in words, as the first answer has it. */
export function askedWords(request: ClusterRequest, cluster: string): string {
  const words = said(requestWords(request), 500);
  return cluster === '' ? words : `${codeSpan(cluster)} ${words}`;
}

/** Any text as words in a line: nothing in it is a mention, a link or markup. */
export function said(text: string, limit: number): string {
  return mrkdwn(safeLine(text, limit).replaceAll('*', '∗').replaceAll('`', "'"), limit);
}

function bounded(lines: readonly string[], atMost = shownAtMost): readonly string[] {
  return lines.length <= atMost
    ? lines
    : [...lines.slice(0, atMost), `_${lines.length - atMost} more: see the status page._`];
}
