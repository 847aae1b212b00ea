import { isAttended } from '../../functions/core/alerts/attention.ts';
import type { Incident } from '../../functions/core/alerts/incident.ts';
import { keyText } from '../../functions/core/findings/trouble.ts';
import type { Taken } from './other-sides.ts';
import type { Storm } from './storm.ts';

/** What a run came to, in sentences that say what is wrong; none when everything is as it should be. */
export interface Verdict {
  /** A target does not show the incident as it is. */
  readonly lost: readonly string[];
  /** Something was said twice that need not have been. */
  readonly doubled: readonly string[];
  /** Repeats that nobody could have avoided: whether the first arrived could not be found out. */
  readonly repeats: number;
  readonly ambiguous: number;
}

export function verdictOf(run: Storm): Verdict {
  const letters = [
    ['hook', run.sides.hook.taken],
    ['ses', run.sides.ses.taken],
    ['smtp', run.sides.smtp.taken],
  ] as const;
  const repeats = letters.map(([name, taken]) => ({
    name,
    extra: repeatsIn(taken, run),
    allowed: ambiguousOf(run, name),
  }));
  return {
    lost: [
      ...(run.quiet ? [] : ['the run does not come to rest']),
      ...slackLost(run),
      ...letters.flatMap(([name, taken]) => endsWrong(name, taken, run)),
      ...endsWrong('feed', run.sides.feed.taken, run),
      ...pagerDutyLost(run),
      ...alertmanagerLost(run),
      ...untold(run),
    ],
    doubled: [
      ...slackDoubled(run),
      ...repeats
        .filter(({ extra, allowed }) => extra > allowed)
        .map(({ name, extra, allowed }) => `${name}: ${extra} repeats, and only ${allowed} answers were lost`),
    ],
    repeats: repeats.reduce((sum, { extra }) => sum + extra, 0),
    ambiguous: ['slack', ...letters.map(([name]) => name)].reduce((sum, name) => sum + ambiguousOf(run, name), 0),
  };
}

/** Sends whose outcome nobody could know: an answer that was lost, or a process that died over it. */
function ambiguousOf({ mishaps }: Storm, target: string): number {
  return mishaps.filter(
    ({ of, what }) =>
      (of === target && /accepted|slow|error|cut|garbled/.test(what)) ||
      (of === 'worker' &&
        (what === `died at call ${target}` || what === 'died at save' || what === 'died at loadOne')) ||
      of === 'table',
  ).length;
}

/** The incident whose number this is, as it ended or stands. */
function standing(run: Storm, name: string): Incident | undefined {
  return run.incidents.find(({ number }) => `PK-${number}` === name);
}

function isOpen(run: Storm, name: string): boolean {
  const incident = standing(run, name);
  return incident !== undefined && incident.state !== 'ok';
}

/** Whoever was told anything is told the end, and nobody an end that is none. */
function endsWrong(target: string, taken: readonly Taken[], run: Storm): readonly string[] {
  const last = new Map(taken.map(({ incident, state }) => [incident, state]));
  return [...last].flatMap(([name, state]) => {
    const open = isOpen(run, name);
    if (open === (state !== 'RESOLVED')) return [];
    return [`${target}: ${name} is ${open ? 'open' : 'over'} and was last told as ${state}`];
  });
}

function parentsOf({ sides }: Storm, name: string) {
  return sides.slack.messages.filter(
    ({ thread, deleted, words }) => thread === undefined && !deleted && words.includes(`\`${name}\``),
  );
}

function slackLost(run: Storm): readonly string[] {
  return [...run.notes.keys()].flatMap((name) => {
    const open = isOpen(run, name);
    const incident = standing(run, name);
    return parentsOf(run, name).flatMap(({ words }) => {
      const isRight = open
        ? !words.includes('RESOLVED') && words.includes(incident?.trouble?.headline ?? '')
        : words.includes('RESOLVED');
      return isRight ? [] : [`slack: ${name} is ${open ? 'open' : 'over'} and its message says ${words.slice(0, 60)}`];
    });
  });
}

/** One standing message an incident; each delivery and each piece of news in a thread once. */
function slackDoubled(run: Storm): readonly string[] {
  const parents = [...run.notes.keys()].flatMap((name) => {
    const count = parentsOf(run, name).length;
    return count > 1 ? [`slack: ${name} has ${count} messages`] : [];
  });
  // What a person has deleted, and what stood below it, is told anew on purpose.
  const gone = new Set(run.sides.slack.messages.filter(({ deleted }) => deleted).map(({ ts }) => ts));
  const visible = run.sides.slack.messages.filter(({ ts, thread = '' }) => !gone.has(ts) && !gone.has(thread));
  const deliveries = repeated(visible.map(({ delivery }) => delivery));
  const news = repeated(
    visible.flatMap(({ thread, words }) =>
      thread === undefined
        ? []
        : words.split('\n').flatMap((line) => (/^\d\d:\d\d:\d\d UTC {2}/.test(line) ? [`${thread} ${line}`] : [])),
    ),
  );
  return [
    ...parents,
    ...deliveries.map((id) => `slack: delivery ${id} stands twice`),
    ...news.map((line) => `slack: "${line}" stands twice`),
  ];
}

function repeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

/** Ends that were told more often than there were ends. */
function repeatsIn(taken: readonly Taken[], { notes }: Storm): number {
  return [...notes].reduce((sum, [name, all]) => {
    const ends = all.filter(({ kind }) => kind === 'resolved').length;
    const told = taken.filter(({ incident, state }) => incident === name && state === 'RESOLVED').length;
    return sum + Math.max(0, told - ends);
  }, 0);
}

/** Of the alerts of an incident, one for each ring, none is open but that of the last one, while the incident is. */
function pagerDutyLost(run: Storm): readonly string[] {
  return run.incidents.flatMap((incident) => {
    const key = `poolkeeper|${keyText(incident.key)}`;
    const alerts = [...run.sides.pagerduty.alerts].filter(([each]) => each === key || each.startsWith(`${key}|`));
    const alive = alerts.filter(([, states]) => (states.at(-1) ?? 'resolved') !== 'resolved');
    if (incident.state === 'ok')
      return alive.map(([each]) => `pagerduty: PK-${incident.number} is over and ${each} open`);
    if (alive.length > 1) return [`pagerduty: PK-${incident.number} has ${alive.length} open alerts`];
    const paged = alive.length === 1 || isAttended(incident, run.now);
    return paged ? [] : [`pagerduty: PK-${incident.number} is open, and none of its ${alerts.length} alerts is`];
  });
}

/** Exactly the alerts of what is wrong now fire. */
function alertmanagerLost(run: Storm): readonly string[] {
  const firing = [...run.sides.alertmanager.until]
    .filter(([, until]) => until > run.now.getTime())
    .map(([labels]) => labels);
  const expected = run.incidents
    .filter(({ state }) => state !== 'ok')
    .map(
      ({ key, trouble }) =>
        `${key.cluster}|${key.pool === '*' ? undefined : key.pool}|${key.kind}|${trouble?.severity}`,
    );
  const wrong = [...firing, ...expected].filter((labels) => firing.includes(labels) !== expected.includes(labels));
  return wrong.map((labels) => `alertmanager: ${labels} ${firing.includes(labels) ? 'still fires' : 'does not fire'}`);
}

/** What is open now is told to everybody; what is over was told unless something stood in the way until its end. */
function untold(run: Storm): readonly string[] {
  const told: Readonly<Record<string, (name: string) => boolean>> = {
    slack: (name) =>
      parentsOf(run, name).length > 0 || run.sides.slack.messages.some(({ words }) => words.includes(name)),
    hook: (name) => run.sides.hook.taken.some(({ incident }) => incident === name),
    ses: (name) => run.sides.ses.taken.some(({ incident }) => incident === name),
    smtp: (name) => run.sides.smtp.taken.some(({ incident }) => incident === name),
    feed: (name) => run.sides.feed.taken.some(({ incident }) => incident === name),
  };
  return [...run.notes].flatMap(([name, notes]) =>
    Object.entries(told).flatMap(([target, isTold]) => {
      if (isTold(name)) return [];
      if (isOpen(run, name)) return [`${target}: ${name} is open and was never told`];
      return hadItsWay(
        run,
        target,
        notes.map(({ at }) => Date.parse(at)),
      )
        ? [`${target}: ${name} was never told`]
        : [];
    }),
  );
}

/** It was open for minutes, and nothing went wrong for this target, from well before until the end. */
function hadItsWay({ mishaps }: Storm, target: string, at: readonly number[]): boolean {
  const [from, to] = [Math.min(...at), Math.max(...at)];
  if (to - from < 8 * 60_000) return false;
  const isInTheWay = (of: string) => of === target || of === 'worker' || of === 'table';
  return !mishaps.some((each) => isInTheWay(each.of) && each.at >= from - 45 * 60_000 && each.at <= to);
}
