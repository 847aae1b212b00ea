import { StoredIncident } from '../../../../functions/adapters/aws/stored/incident.ts';
import { type AttentionRequest, attend, isAttended } from '../../../../functions/core/alerts/attention.ts';
import type { Delivery, Incident, Occasion } from '../../../../functions/core/alerts/incident.ts';
import { type DeliveryStep, planDelivery } from '../../../../functions/core/alerts/plan-delivery.ts';
import { firstRing, rings, ringsNow } from '../../../../functions/core/alerts/rings.ts';
import { settle } from '../../../../functions/core/alerts/settle.ts';
import { audienceOf, styleOf } from '../../../../functions/core/alerts/targets.ts';
import type { AlertSettings, AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding, Severity, Trouble } from '../../../../functions/core/findings/trouble.ts';
import { severityRank } from '../../../../functions/core/findings/trouble-words.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import type { SendOutcome } from '../../../../functions/ports/messages.ts';
import { type Attempt, afterSend, afterSkip } from '../../../../functions/send-alerts/after-send.ts';

/** What may happen to an incident of a pool, to whoever has it, to those who are told of it, and to what can be seen.
 *  After each a pass looks at the cluster. */
export type Act =
  /** A budget of a team blocks a node; nothing is wrong any more. */
  | 'begin'
  | 'end'
  /** The pool is no more. */
  | 'remove'
  /** The same on the next node; no longer. */
  | 'next node'
  | 'one node less'
  /** Another team's budget on a node of its own, beside the rest, or in place of it; no longer. */
  | 'join'
  | 'replace'
  | 'leave'
  /** What may heal, in no namespace, on one more node; no longer. */
  | 'disk'
  | 'no disk'
  /** A pod that shuts down holds up one more node; no longer. */
  | 'pod'
  | 'no pod'
  | 'worse'
  | 'milder'
  | 'acknowledge'
  | 'snooze'
  /** What somebody asked for before the last act arrives now: by a button, or by a command. */
  | 'late press'
  | 'late command'
  /** Nobody but the channel of all can be told, in ways that differ; all can again. */
  | 'refuse'
  | 'take'
  | 'night'
  | 'day'
  /** The cluster cannot be read, by the incident that explains all others. */
  | 'blind'
  | 'sighted'
  /** A pass sees nothing; it does again. */
  | 'unread'
  | 'read'
  | 'minute'
  | 'half hour'
  | 'two hours'
  | 'a day';

/** A root cause: `worker-1 shop`, of the node that it holds up and whose it is. */
export type Cause = 'worker-1 shop' | 'worker-2 shop' | 'worker-3 store' | 'worker-4 disk' | 'worker-5 pod';

/** What one target was told at once. */
export interface Told {
  readonly at: number;
  readonly occasion: Occasion;
  readonly isOver: boolean;
  /** It notifies people: a message, a reply that is shown in the channel, a call. */
  readonly isAloud: boolean;
  /** A call that rings, or goes on to. */
  readonly isRinging: boolean;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  readonly isTaken: boolean;
  /** Nothing was wrong at the last look. */
  readonly isTrulyOver: boolean;
}

/** What a look has shown, while nothing explained it. */
export interface Look {
  readonly at: number;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  readonly isTaken: boolean;
  /** Whether what somebody has taken covers it, by all that was seen; undefined: there is nothing to cover, or both
   *  would be right. */
  readonly isCovered: boolean | undefined;
}

/** What somebody has taken, by the words of the docs. */
interface Taken {
  readonly until: number;
  readonly severity: Severity;
  readonly kinds: readonly string[];
  /** The most causes that stood at once, when it was taken or since. */
  readonly most: number;
}

/** What a person could press on, or ask for. */
interface Shown {
  readonly at: number;
  readonly number: number;
  readonly seq: number | undefined;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
}

export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** Somebody is told of what nobody has taken for half an hour; then all are told of that. */
  readonly hasLead: boolean;
  readonly isRefusing: boolean;
  readonly isNight: boolean;
  readonly isBlind: boolean;
  readonly isUnread: boolean;
  /** At this look. */
  readonly isRemoved: boolean;
  /** At the last look that saw anything. */
  readonly isWrong: boolean;
  /** When somebody else was first told, as nobody had taken it. */
  readonly climbs: readonly number[];
  readonly incident: Incident | undefined;
  readonly numbers: number;
  readonly told: Readonly<Record<string, readonly Told[]>>;
  /** Alerts that ring in PagerDuty. */
  readonly ringing: readonly number[];
  readonly looks: readonly Look[];
  /** Until when each kind of cause was seen in this episode; undefined: it stands. */
  readonly seen: Readonly<Record<string, number | undefined>>;
  readonly taken: Taken | undefined;
  readonly takes: readonly number[];
  /** Kinds that somebody has had in this episode, and the most of them at once. */
  readonly had: Pick<Taken, 'kinds' | 'most'>;
  /** Kinds that came back within an hour while somebody had it. */
  readonly borne: readonly string[];
  readonly shown: Shown | undefined;
  readonly before: Shown | undefined;
}

export const start: State = {
  at: Date.parse('2026-03-02T10:00:00Z'),
  causes: [],
  severity: 'high',
  hasLead: false,
  isRefusing: false,
  isNight: false,
  isBlind: false,
  isUnread: false,
  isRemoved: false,
  isWrong: false,
  climbs: [],
  incident: undefined,
  numbers: 0,
  told: {},
  ringing: [],
  looks: [],
  seen: {},
  taken: undefined,
  takes: [],
  had: { kinds: [], most: 0 },
  borne: [],
  shown: undefined,
  before: undefined,
};

const minute = 60_000;
const hour = 60 * minute;
const policy = defaultPolicy.alerting;
const filter = { clusters: [], pools: [], severities: [], causes: [] };

/** A channel of all, one of the team that has the other budget, a mailbox, a pager, and who is told of what nobody has
 *  taken for half an hour. */
const targets: readonly AlertTarget[] = [
  { kind: 'outbox', name: 'all', filter },
  { kind: 'outbox', name: 'store', filter: { ...filter, causes: ['P3'] } },
  { kind: 'email', name: 'mail', from: 'a@example.com', to: ['b@example.com'], via: 'ses', filter },
  {
    kind: 'pagerduty',
    name: 'pager',
    routingKeySecret: 'poolkeeper/pagerduty',
    eventsUrl: 'https://events.pagerduty.com/v2/enqueue',
    filter: { ...filter, severities: ['critical', 'high'] },
  },
  { kind: 'slack-webhook', name: 'lead', urlSecret: 'poolkeeper/lead', filter, escalateAfterSeconds: 1800 },
];
const nightHours = { from: '00:00', to: '24:00', zone: 'UTC', weekends: false };
const withoutLead = targets.filter(({ name }) => name !== 'lead');

/** By day and by night. */
function settingsFor(heard: readonly AlertTarget[]): readonly [AlertSettings, AlertSettings] {
  const atNight = heard.map((target) => (target.name === 'mail' ? { ...target, quietHours: nightHours } : target));
  return [
    { statusUrl: undefined, targets: [...heard] },
    { statusUrl: undefined, targets: atNight },
  ];
}

const [byDay, byNight] = settingsFor(withoutLead);
const [byDayWithLead, byNightWithLead] = settingsFor(targets);

const severities: readonly Severity[] = ['critical', 'high', 'warning'];

export function isPossible(act: Act, state: State): boolean {
  const { causes, severity, before } = state;
  switch (act) {
    case 'begin':
      return causes.length === 0;
    case 'end':
    case 'remove':
      return causes.length > 0;
    case 'next node':
      return causes.includes('worker-1 shop') && !causes.includes('worker-2 shop');
    case 'one node less':
      return causes.includes('worker-2 shop') && causes.length > 1;
    case 'join':
      return causes.length > 0 && !causes.includes('worker-3 store');
    case 'replace':
      return causes.length > 0;
    case 'leave':
      return causes.includes('worker-3 store') && causes.length > 1;
    case 'disk':
      return causes.length > 0 && !causes.includes('worker-4 disk');
    case 'no disk':
      return causes.includes('worker-4 disk') && causes.length > 1;
    case 'pod':
      return causes.length > 0 && !causes.includes('worker-5 pod');
    case 'no pod':
      return causes.includes('worker-5 pod') && causes.length > 1;
    case 'worse':
      return severity !== 'critical';
    case 'milder':
      return severity !== 'warning';
    case 'acknowledge':
    case 'snooze':
      return isOpen(state);
    case 'late press':
    case 'late command':
      return isOpen(state) && before !== undefined && before.number === state.incident?.number;
    default:
      return isToggled(act, state);
  }
}

function isToggled(act: Act, { isRefusing, isNight, isBlind, isUnread }: State): boolean {
  const is: Partial<Record<Act, boolean>> = {
    refuse: !isRefusing,
    take: isRefusing,
    night: !isNight,
    day: isNight,
    blind: !isBlind,
    sighted: isBlind,
    unread: !isUnread,
    read: isUnread,
  };
  return is[act] ?? true;
}

function isOpen({ incident }: State): boolean {
  return incident?.state === 'firing' || incident?.state === 'resolving';
}

/** The state after an act, and a look a minute later. */
export function next(act: Act, before: State): State {
  const state = { ...before, before: before.shown };
  const waits: Partial<Record<Act, readonly number[]>> = {
    'half hour': [3, 4, 10, 13],
    'two hours': [3, 7, 20, 30, 30, 30],
    'a day': [30, 240, 390, 390, 390],
  };
  const [first = 1, ...rest] = waits[act] ?? [];
  let now = look({ ...after(act, state), at: state.at + first * minute });
  for (const minutes of rest) now = look({ ...now, at: now.at + minutes * minute });
  return { ...now, shown: shownIn(now) };
}

/** Everybody can be told and all can be seen, for so long that nothing waits any more. */
export function settled(state: State): State {
  let now: State = { ...state, isRefusing: false, isNight: false, isBlind: false, isUnread: false };
  for (const minutes of [1, 3, 12, 50, 11, 50, 11]) now = look({ ...now, at: now.at + minutes * minute });
  return now;
}

/** The same, and nothing is wrong. */
export function over(state: State): State {
  return settled({ ...state, causes: [] });
}

/** What the channel of all shows. */
function shownIn({ at, incident, told }: State): Shown | undefined {
  const last = told['all']?.at(-1);
  if (incident === undefined || last === undefined) return undefined;
  const { causes, severity } = last;
  return { at, number: incident.number, seq: incident.deliveries['all']?.deliveredSeq, causes, severity };
}

function after(act: Act, state: State): State {
  const { causes, severity } = state;
  switch (act) {
    case 'begin':
      return { ...state, causes: ['worker-1 shop'] };
    case 'end':
      return { ...state, causes: [] };
    case 'remove':
      return { ...state, causes: [], isRemoved: true };
    case 'next node':
      return { ...state, causes: [...causes, 'worker-2 shop'] };
    case 'one node less':
      return without('worker-2 shop', state);
    case 'join':
      return { ...state, causes: [...causes, 'worker-3 store'] };
    case 'replace':
      return { ...state, causes: causes.includes('worker-3 store') ? ['worker-1 shop'] : ['worker-3 store'] };
    case 'leave':
      return without('worker-3 store', state);
    case 'disk':
      return { ...state, causes: [...causes, 'worker-4 disk'] };
    case 'no disk':
      return without('worker-4 disk', state);
    case 'pod':
      return { ...state, causes: [...causes, 'worker-5 pod'] };
    case 'no pod':
      return without('worker-5 pod', state);
    case 'worse':
      return { ...state, severity: severities[severities.indexOf(severity) - 1] ?? severity };
    case 'milder':
      return { ...state, severity: severities[severities.indexOf(severity) + 1] ?? severity };
    case 'refuse':
    case 'take':
      return { ...state, isRefusing: act === 'refuse' };
    case 'night':
    case 'day':
      return { ...state, isNight: act === 'night' };
    case 'blind':
    case 'sighted':
      return { ...state, isBlind: act === 'blind' };
    case 'unread':
    case 'read':
      return { ...state, isUnread: act === 'unread' };
    default:
      return asked(act, state);
  }
}

function without(cause: Cause, state: State): State {
  return { ...state, causes: state.causes.filter((each) => each !== cause) };
}

function asked(act: Act, state: State): State {
  const { at, before } = state;
  const shown = shownIn(state);
  const wish = { by: 'anna', reason: '' };
  switch (act) {
    case 'acknowledge':
      return takenBy({ ...wish, kind: 'acknowledged', forSeconds: 24 * 3600, askedAt: iso(at) }, shown, state);
    case 'snooze':
      return takenBy({ ...wish, kind: 'snoozed', forSeconds: 1800, askedAt: iso(at) }, shown, state);
    case 'late press':
      return takenBy(
        { ...wish, kind: 'acknowledged', forSeconds: 24 * 3600, askedAt: iso(before?.at ?? at), seenSeq: before?.seq },
        before,
        state,
      );
    case 'late command':
      return takenBy(
        { ...wish, kind: 'acknowledged', forSeconds: 24 * 3600, askedAt: iso(before?.at ?? at) },
        before,
        state,
      );
    default:
      return state;
  }
}

function takenBy(wish: AttentionRequest, shown: Shown | undefined, state: State): State {
  const { incident, at, had } = state;
  if (incident?.trouble === undefined || shown === undefined) return state;
  const hearing = audienceOf(settings(state), incident.trouble, { attended: true });
  const answer = attend(incident, wish, { now: new Date(at), targets: hearing });
  if (answer.kind !== 'attended') return state;
  const kinds = [...new Set(shown.causes.map(kindOf))];
  const taken: Taken = {
    until: Date.parse(wish.askedAt) + wish.forSeconds * 1000,
    severity: shown.severity,
    kinds,
    most: shown.causes.length,
  };
  return send({
    ...state,
    incident: stored(answer.incident),
    taken,
    takes: [...state.takes, at],
    had: { kinds: [...new Set([...had.kinds, ...kinds])], most: Math.max(had.most, shown.causes.length) },
  });
}

/** As the table gives it back to another process. */
function stored(incident: Incident): Incident {
  return { ...incident, version: incident.version + 1 };
}

/** What is read back from the table is what was written. */
export function readBack(incident: Incident): Incident {
  return StoredIncident.parse(JSON.parse(JSON.stringify(incident)));
}

function look(before: State): State {
  const { at, isBlind, isUnread, isRemoved, causes, severity, incident, numbers } = before;
  const trouble = causes.length === 0 || isUnread ? [] : [troubleOf(causes, severity)];
  const blind: Trouble[] = isBlind ? [blindness] : [];
  const now = new Date(at);
  const { changes } = settle({
    cluster: 'prod',
    troubles: [...trouble, ...blind],
    incidents: incident === undefined ? [] : [incident],
    unseen: () => (isUnread ? 'API unreachable' : undefined),
    removed: () => (isRemoved ? 'pool deleted' : undefined),
    policy,
    alerts: settings(before),
    now,
    numbers: [numbers + 1],
  });
  const changed = changes.find(({ incident: { key } }) => key.kind === 'drain-blocked')?.incident;
  const isWrong = isUnread ? before.isWrong : causes.length > 0;
  const hasClimbed = incident?.deliveries['lead'] === undefined && changed?.deliveries['lead'] !== undefined;
  const climbs = hasClimbed ? [...before.climbs, at] : before.climbs;
  const after = { ...before, isWrong, climbs, incident: changed === undefined ? incident : stored(changed) };
  return send(noted({ ...after, isRemoved: false, numbers: Math.max(numbers, after.incident?.number ?? 0) }, before));
}

/** What the look has shown of causes, and whether that is covered by what somebody has taken. */
function noted(state: State, before: State): State {
  const { at, incident, isUnread, causes, severity } = state;
  if (isUnread || incident === undefined) return state;
  const isNew = incident.number !== before.incident?.number;
  const fresh = isNew ? { seen: {}, taken: undefined, had: start.had, borne: [] } : {};
  const known = { ...state, ...fresh };
  const kinds = new Set(causes.map(kindOf));
  if (incident.inhibitedBy !== undefined) return known;
  // A cause counts as gone from the first look on at which others stand.
  const until = causes.length === 0 ? undefined : at;
  const gone = Object.entries(known.seen).map(([kind, before]) => [kind, before ?? (kinds.has(kind) ? before : until)]);
  const seen = { ...Object.fromEntries(gone), ...Object.fromEntries([...kinds].map((kind) => [kind, undefined])) };
  const isTaken = isAttended(incident, new Date(at));
  const isCovered = causes.length === 0 ? undefined : coverOf(known);
  const taken =
    known.taken === undefined ||
    isCovered === false ||
    Date.parse(iso(known.taken.until)) <= at ||
    (!isTaken && causes.length > 0)
      ? undefined
      : { ...known.taken, most: Math.max(known.taken.most, causes.length) };
  const nextLook: Look = { at, causes, severity, isTaken, isCovered };
  const borneStill = known.borne.filter((kind) => kinds.has(kind));
  const borne = isCovered === true ? [...new Set([...borneStill, ...kinds])] : borneStill;
  return { ...known, seen, borne, taken: causes.length === 0 ? known.taken : taken, looks: [...known.looks, nextLook] };
}

/** By the docs: a higher severity, a new cause or more nodes are not; one that comes back within an hour, or that
 *  somebody has had before, is no new one. As many as stood at once within the hour, or since, may be covered. */
function coverOf({ at, taken, had, borne, seen, looks, causes, severity }: State): boolean | undefined {
  if (taken === undefined) return undefined;
  if (taken.until <= at) return false;
  if (severityRank(severity) < severityRank(taken.severity)) return false;
  // What was seen before it was taken counts for an hour, from the first look on at which others stand.
  const shown = looks.filter((each) => each.causes.length > 0);
  const recent = shown.filter((_, nth) => at - (shown[nth + 1]?.at ?? at) <= hour);
  if (causes.length > Math.max(taken.most, had.most, ...recent.map((each) => each.causes.length))) return false;
  const isKnown = (kind: string) => kind in seen && (seen[kind] === undefined || at - (seen[kind] ?? 0) <= hour);
  const others = causes.map(kindOf).filter((kind) => ![...taken.kinds, ...had.kinds].includes(kind) && !isKnown(kind));
  if (others.some((kind) => !borne.includes(kind))) return false;
  return others.length > 0 || causes.length > taken.most ? undefined : true;
}

/** What it is, on whichever node. */
export function kindOf(cause: Cause): string {
  return cause.slice(cause.indexOf(' ') + 1);
}

function settings({ isNight, hasLead }: State): AlertSettings {
  if (hasLead) return isNight ? byNightWithLead : byDayWithLead;
  return isNight ? byNight : byDay;
}

/** Every target is brought up to date, as send-alerts does it, but for crashes between sending and noting it. */
function send(state: State): State {
  let now = state;
  for (const target of settings(state).targets) {
    for (let count = 0; count < 8; count += 1) {
      const sent = sendOne(now, target);
      if (sent === undefined) break;
      now = sent;
    }
  }
  return now;
}

function sendOne(state: State, target: AlertTarget): State | undefined {
  const { incident, at } = state;
  const delivery = incident?.deliveries[target.name];
  if (incident === undefined || delivery === undefined) return undefined;
  const step = planDelivery(incident, delivery, target, new Date(at));
  switch (step.kind) {
    case 'skip':
      return withDelivery(state, incident, target, afterSkip(delivery, incident.seq));
    case 'post':
    case 'edit':
    case 'reply':
      return sent(state, incident, delivery, target, step);
    default:
      return undefined;
  }
}

type SendStep = Extract<DeliveryStep, { kind: 'post' | 'edit' | 'reply' }>;

function sent(state: State, incident: Incident, delivery: Delivery, target: AlertTarget, step: SendStep): State {
  const now = new Date(state.at);
  const untold = incident.notes.filter(({ seq }) => seq > delivery.threadSeq);
  const ringing = target.kind === 'pagerduty' ? { rings: ringsNow(incident, delivery, { ...step, untold, now }) } : {};
  const claimed: Delivery = {
    ...delivery,
    ...ringing,
    announced: delivery.announced || step.kind === 'edit',
    triedSeq: incident.seq,
  };
  const attempt: Attempt = {
    kind: step.kind,
    seq: incident.seq,
    style: styleOf(target),
    isFirst: step.kind === 'edit' && !delivery.announced,
    rings: delivery.rings,
    triedSeq: delivery.triedSeq,
  };
  const moment = { now, random: () => 0 };
  const answer = refusals[target.name];
  if (state.isRefusing && answer !== undefined)
    return withDelivery(state, incident, target, afterSend(claimed, attempt, answer, moment));
  const remote = { channel: target.name, id: `${incident.number}/${incident.seq}` };
  const told = withTold(state, incident, claimed, target, step);
  return withDelivery(told, incident, target, afterSend(claimed, attempt, { kind: 'sent', remote }, moment));
}

const refusals: Readonly<Record<string, SendOutcome>> = {
  store: { kind: 'dead', why: 'is_archived' },
  mail: { kind: 'not-sent', why: 'connection refused', retryAfterSeconds: undefined },
  pager: { kind: 'unknown', why: 'no answer' },
  lead: { kind: 'not-sent', why: 'too many requests', retryAfterSeconds: 300 },
};

function withDelivery(state: State, incident: Incident, { name }: AlertTarget, delivery: Delivery): State {
  return { ...state, incident: stored({ ...incident, deliveries: { ...incident.deliveries, [name]: delivery } }) };
}

function withTold(
  state: State,
  incident: Incident,
  { rings: alerts = firstRing }: Delivery,
  target: AlertTarget,
  step: SendStep,
): State {
  const now = new Date(state.at);
  const { trouble } = incident;
  const isOver = incident.state === 'ok';
  const isRinging = target.kind === 'pagerduty' && rings(incident, step.occasion, now);
  const kept = state.ringing.filter((each) => !alerts.former.includes(each) && !(isOver && each === alerts.current));
  const ringing = isRinging && !kept.includes(alerts.current) ? [...kept, alerts.current] : kept;
  const isNewRing = ringing.length > kept.length;
  const told: Told = {
    at: state.at,
    occasion: step.occasion,
    isOver,
    isAloud:
      target.kind === 'pagerduty' ? isNewRing || (isOver && kept.length < state.ringing.length) : isAloud(target, step),
    isRinging,
    causes: causesIn(trouble),
    severity: trouble?.severity ?? 'info',
    isTaken: isAttended(incident, now),
    isTrulyOver: !state.isWrong,
  };
  const before = state.told[target.name] ?? [];
  return {
    ...state,
    told: { ...state.told, [target.name]: [...before, told] },
    ...(target.kind === 'pagerduty' ? { ringing } : {}),
  };
}

/** In a channel a reply to its thread is not, unless it is shown in the channel too. */
function isAloud({ kind }: AlertTarget, step: SendStep): boolean {
  if (kind === 'email' || kind === 'slack-webhook') return true;
  if (step.kind === 'reply') return ['escalated', 'reopened', 'unattended'].includes(step.occasion);
  return step.kind === 'post';
}

const causesOf: Readonly<Record<Cause, Finding>> = {
  'worker-1 shop': budget('worker-1', 'shop', 'P1'),
  'worker-2 shop': budget('worker-2', 'shop', 'P1'),
  'worker-3 store': budget('worker-3', 'store', 'P3'),
  'worker-4 disk': disk(),
  'worker-5 pod': leaving(),
};

function budget(node: string, namespace: string, code: string): Finding {
  const subject = ref('Node', node);
  const blocked = { code, subject: ref('PodDisruptionBudget', 'web', namespace), class: 'structural' } as const;
  const because = [finding({ ...blocked, sentence: `${namespace} blocks ${node}.`, confidence: 'certain' })];
  const sentence = `${node} cannot be drained.`;
  return finding({ code: 'D1', subject, sentence, confidence: 'likely', class: 'structural', because });
}

function leaving(): Finding {
  const subject = ref('Node', 'worker-5');
  const pod = { code: 'T1', subject: ref('Pod', 'web-0', 'pod'), class: 'self-healing' } as const;
  const because = [finding({ ...pod, sentence: 'A pod shuts down.', confidence: 'certain' })];
  const sentence = 'worker-5 cannot be drained.';
  return finding({ code: 'D1', subject, sentence, confidence: 'likely', class: 'self-healing', because });
}

function disk(): Finding {
  const subject = ref('Node', 'worker-4');
  const sentence = 'worker-4 has no room left.';
  return finding({ code: 'N9', subject, sentence, confidence: 'certain', class: 'external' });
}

const key = { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' } as const;
const troubles = new Map<string, Trouble>();

function troubleOf(causes: readonly Cause[], severity: Severity): Trouble {
  const name = [...causes.toSorted(), severity].join(';');
  const known = troubles.get(name);
  if (known !== undefined) return known;
  const made = makeTrouble({
    key,
    severity,
    headline: `blocked: ${causes.toSorted().join(', ')}`,
    since: iso(start.at),
    findings: causes.toSorted().map((cause) => causesOf[cause]),
    facts: [],
  });
  troubles.set(name, made);
  return made;
}

const blindness = makeTrouble({
  key: { cluster: 'prod', pool: '*', kind: 'watcher-blind' },
  severity: 'high',
  headline: 'the cluster cannot be read',
  since: iso(start.at),
  findings: [],
  facts: [],
});

function causesIn(trouble: Trouble | undefined): readonly Cause[] {
  const shown = trouble?.headline.replace('blocked: ', '').split(', ') ?? [];
  return shown.filter((each): each is Cause => each in causesOf);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
