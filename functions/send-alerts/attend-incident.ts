import { type AttentionAsked, cloudEvent, makeTick } from '../../events/index.ts';
import { type Attended, attend } from '../core/alerts/attention.ts';
import { dueEvent } from '../core/alerts/due-event.ts';
import type { Incident } from '../core/alerts/incident.ts';
import { incidentName } from '../core/alerts/incident-words.ts';
import { audienceOf, type ChannelReach, channelReach } from '../core/alerts/targets.ts';
import { refusalWords, whyNotMeant } from '../core/requests/below-message.ts';
import { freezeHereBounds } from '../core/requests/bounds.ts';
import { poolsPastFreeze, whyNotFrozen } from '../core/requests/freeze-from-message.ts';
import { approvalGateOf, hasPushedIt, pushedByThem, said } from '../core/requests/slack-answers.ts';
import { Transient } from '../core/text/errors.ts';
import { plusSeconds, secondsSince } from '../core/text/instant.ts';
import type { WorkQueue } from '../ports/queues.ts';
import type { Approvals, AskedRequests, Timeline, Views } from '../ports/tables.ts';
import { showAnew } from './joint.ts';
import { sendAlerts } from './send.ts';
import type { SendPorts } from './send-ports.ts';

export interface AttendPorts extends SendPorts {
  /** For a re-check of the cluster. */
  readonly work: Pick<WorkQueue, 'send'>;
  readonly approvals: Pick<Approvals, 'save'>;
  readonly timeline: Pick<Timeline, 'append'>;
  /** For what is asked by commands. */
  readonly askedRequests: Pick<AskedRequests, 'load'>;
  readonly views: Pick<Views, 'list' | 'load'>;
}

/** Lost races against other writers of the same incident, in a row. */
const raceLimit = 20;

/** Applies a person's request to an incident: stores it, shows it everywhere, and requests a pass over the cluster, so
 *  that the timeline shows it too. A repeated request does nothing. Throws Transient. */
export async function attendIncident({ data }: AttentionAsked, ports: AttendPorts): Promise<void> {
  if (data.steered !== undefined) return afterSteering(data.steered, data, ports);
  if (data.pressed !== undefined) return afterApproval(data.pressed, data, ports);
  const incident = await numbered(data.number, ports);
  const refusedAs = whyNotMeant(incident, { number: data.number, episode: data.episode }, reachOf(data, ports));
  if (incident === undefined || refusedAs !== undefined)
    return answer(data, refusalWords(refusedAs ?? 'no-incident'), ports);
  if (data.wish === 'freeze-here') return askForFreeze(incident, data, ports);
  if (data.wish !== 'recheck') {
    const refused = await note(incident, data, ports);
    await sendAlerts(
      dueEvent(incident.key, { source: '/poolkeeper/send-alerts', about: data.wish }, ports.clock()),
      ports,
    );
    if (refused !== undefined) return answer(data, refused, ports);
  }
  await lookAt(incident.key.cluster, ports);
}

async function lookAt(cluster: string, { work, clock }: AttendPorts): Promise<void> {
  await work.send(makeTick({ cluster, why: 'person' }, clock()));
}

async function numbered(number: number, { incidents }: AttendPorts): Promise<Incident | undefined> {
  return (await incidents.list()).find((each) => each.number === number);
}

/** Of the channel that it was asked in; asked elsewhere, nothing limits it but the right to the queue. */
function reachOf(
  { answer: to }: AttentionAsked['data'],
  { configuration: { alerts } }: AttendPorts,
): ChannelReach | undefined {
  return to === undefined ? undefined : channelReach(alerts, to.channel);
}

/** Whoever took the press has judged and stored it: what has become of the incident since changes nothing of that. */
async function afterSteering(
  { sequence, cluster, refused }: NonNullable<AttentionAsked['data']['steered']>,
  data: AttentionAsked['data'],
  ports: AttendPorts,
): Promise<void> {
  if (refused !== undefined)
    return answer(data, `${refusalWords(refused)}. Nothing is asked of sequence ${sequence}`, ports);
  if (cluster !== undefined) await lookAt(cluster, ports);
}

type Pressed = NonNullable<AttentionAsked['data']['pressed']>;

/** An approval is stored by now, whatever has become of the incident, and counts for what its button shows: whoever
 *  pressed one of a message that shows something else by now would take that for approved. */
async function afterApproval(pressed: Pressed, data: AttentionAsked['data'], ports: AttendPorts): Promise<void> {
  const incident = await askingFor(pressed, data.number, ports);
  const cluster = pressed.cluster ?? incident?.key.cluster;
  if (cluster !== undefined) await lookAt(cluster, ports);
  const asked = incident?.trouble?.asksApproval;
  if (cluster !== undefined && asked === pressed.config) return answerPusher(cluster, data, ports);
  const { number } = data;
  const { verb, config } = pressed;
  const did = verb === 'approve' ? 'you approved' : 'you took back your approval of';
  const now = whatWaits(incident, reachOf(data, ports));
  ports.logger.info('press is about another change than waits now', { incident: number, verb, config, asked });
  await whisper(data, `${incidentName(number)}: ${did} ${config}, but ${now}.`, ports);
}

/** The incident that asks for approvals of that pool, whichever message was pressed. */
async function askingFor(
  { cluster, pool }: Pressed,
  number: number,
  ports: AttendPorts,
): Promise<Incident | undefined> {
  if (cluster === undefined || pool === undefined) return numbered(number, ports);
  return ports.incidents.loadOne({ cluster, pool, kind: 'approval-needed' });
}

function whatWaits(incident: Incident | undefined, reach: ChannelReach | undefined): string {
  const asked = incident?.state === 'firing' ? incident.trouble?.asksApproval : undefined;
  if (incident === undefined || asked === undefined || reach?.hasIncident(incident) === false)
    return 'that waits no longer';
  const name = incidentName(incident.number);
  return `what waits now is ${asked}: use the buttons of the message of ${name} as it is now`;
}

/** What waits is what was approved, and their approval does not count. */
async function answerPusher(
  cluster: string,
  { pressed, ...data }: AttentionAsked['data'],
  ports: AttendPorts,
): Promise<void> {
  if (pressed?.verb !== 'approve' || data.answer === undefined) return;
  const who = `slack:${data.answer.user}`;
  const pools = (await ports.views.load(cluster))?.pools ?? [];
  const gates = pools.flatMap((pool) => approvalGateOf(pool) ?? []);
  if (!gates.some((gate) => gate.approves === pressed.config && hasPushedIt(gate, who))) return;
  const name = incidentName(data.number);
  await whisper(data, `${name}: your approval of ${pressed.config} does not count: ${pushedByThem}.`, ports);
}

/** Asks keep-pools to freeze the pool of the incident, or its cluster. The end counts from the press, so that the queue
 *  may bring it late or twice. */
async function askForFreeze(
  { key, number }: Incident,
  data: AttentionAsked['data'],
  ports: AttendPorts,
): Promise<void> {
  const { by, askedAt, forSeconds, scope, answer: to } = data;
  // Whoever may send to the queue could claim a press.
  const { mayFreeze = [] } = ports.configuration.alerts.slackButtons ?? {};
  if (to === undefined || !mayFreeze.includes(to.user)) return answer(data, 'you may not freeze', ports);
  if (scope !== 'cluster' && key.pool === '*') return answer(data, 'it is of no one pool: freeze the cluster', ports);
  // Nobody would take it there: incidents end after their cluster is taken out, and that of a pool left paused is new.
  if (!ports.configuration.clusters.some(({ name }) => name === key.cluster))
    return answer(data, `cluster ${key.cluster} is no longer in poolkeeper.yaml, so nothing is frozen`, ports);
  const pool = scope === 'cluster' ? '*' : key.pool;
  if (pool === '*' && !channelReach(ports.configuration.alerts, to.channel).hasPool(key.cluster, pool))
    return answer(data, `messages about all pools of ${key.cluster} do not come to this channel`, ports);
  const who = `${by} (Slack ${to.user})`.slice(0, 150);
  // No longer than the menu offers, whatever the queue says of the press.
  const pressed = Math.min(Date.parse(askedAt), ports.clock().getTime());
  const until = plusSeconds(new Date(pressed), Math.min(forSeconds, freezeHereBounds.most));
  const view = await ports.views.load(key.cluster);
  const refused = whyNotFrozen({ cluster: key.cluster, pool, until }, view);
  if (refused !== undefined) return answer(data, refused, ports);
  const name = incidentName(number);
  await ports.work.send(
    cloudEvent({
      type: 'poolkeeper.freeze.asked.v1',
      id: `freeze/${name}/${askedAt}/${who}`,
      source: '/poolkeeper/send-alerts',
      subject: `${key.cluster}/${pool}`,
      time: ports.clock(),
      correlation: name,
      data: {
        cluster: key.cluster,
        pool,
        who,
        why: `from the message of ${name}`,
        askedAt: new Date(pressed).toISOString(),
        until,
      },
    }),
  );
  ports.logger.info('freeze requested', { incident: number, cluster: key.cluster, pool, by: who, until });
  const what = pool === '*' ? `every pool of ${key.cluster} that Poolkeeper may pause` : `${key.cluster}/${pool}`;
  const past = poolsPastFreeze({ cluster: key.cluster, pool }, view, ports.clock());
  await whisper(data, `${name}: ${what} is being frozen until ${until}; poolkeeper thaw ends that.${past}`, ports);
}

/** Why it was refused; undefined: it is stored. */
async function note({ key }: Incident, data: AttentionAsked['data'], ports: AttendPorts): Promise<string | undefined> {
  for (let race = 0; race < raceLimit; race += 1) {
    const stored = await ports.incidents.loadOne(key);
    if (stored === undefined || stored.number !== data.number) return 'it is resolved';
    const attended = attendedBy(stored, data, ports);
    if (attended.kind === 'refused') {
      if (attended.isStale === true) await showToPerson(stored, data, ports);
      return attended.why;
    }
    if (attended.kind === 'nothing') return undefined;
    if (await ports.incidents.save(attended.incident)) {
      ports.logger.info('request applied to incident', { incident: data.number, wish: data.wish, by: data.by });
      return undefined;
    }
  }
  throw new Transient(`${incidentName(data.number)}: other writers were faster ${raceLimit} times`, {
    kind: 'conflict',
  });
}

/** They are told to look at the current state, which a message that takes no edits does not show. */
async function showToPerson(incident: Incident, data: AttentionAsked['data'], ports: AttendPorts): Promise<void> {
  const { targets } = ports.configuration.alerts;
  const told = targets.filter((target) => target.kind === 'slack' && target.channel === data.answer?.channel);
  for (const target of told) await showAnew({ incident, target, ports });
}

function attendedBy(stored: Incident, data: AttentionAsked['data'], { configuration, clock }: AttendPorts): Attended {
  const { wish, by, reason, askedAt, forSeconds, seenSeq } = data;
  const { trouble } = stored;
  const targets =
    trouble === undefined ? { hear: [], all: [] } : audienceOf(configuration.alerts, trouble, { attended: true });
  const kind = wish === 'snooze' ? 'snoozed' : 'acknowledged';
  return attend(stored, { kind, by, reason, askedAt, forSeconds, seenSeq }, { now: clock(), targets });
}

/** Only the person gets the reason for a refusal. */
async function answer(data: AttentionAsked['data'], why: string, ports: SendPorts): Promise<void> {
  ports.logger.info('request could not be applied to incident', { incident: data.number, wish: data.wish, why });
  // A name in it may be of somebody who may send to the queue: nothing of it is a link or a mention.
  await whisper(data, `${incidentName(data.number)}: ${said(why, 600)}.`, ports);
}

/** Seconds after a request, or what came of it, within which its answer is tried again: less than the attempts of a
 *  queue take, which keeps for its dead letters what is still to be done. */
const answeredWithin = 100;

/** Where a person is answered, and when they asked. */
type Asker = Pick<AttentionAsked['data'], 'askedAt'> & { readonly answer?: AttentionAsked['data']['answer'] };

/** Only the person sees it. What does not reach them is tried again for a while with all that they asked for, which is
 *  to be done by then, or to be harmless if it is done twice. Throws Transient. */
export async function whisper({ answer: to, askedAt }: Asker, text: string, ports: SendPorts): Promise<void> {
  if (to === undefined) return;
  const { targets } = ports.configuration.alerts;
  const target = targets.find((each) => each.kind === 'slack' && each.channel === to.channel);
  const missed = target === undefined ? undefined : await ports.messengerOf(target).whisper?.(to, text);
  if (missed === undefined) return;
  const { why, passing, retryAfterSeconds } = missed;
  if (passing && secondsSince(askedAt, ports.clock()) <= answeredWithin)
    throw new Transient(`the answer to a person did not reach them: ${why}`, { retryAfterSeconds });
  ports.logger.warn('answer did not reach the person who asked', { user: to.user, channel: to.channel, why });
}
