import type { WebhookDue } from '../../events/index.ts';
import type { ArgoCdSettings, RelaySettings } from '../core/configuration/argocd.ts';
import { endpointsFor } from '../core/relay/endpoints.ts';
import { type MayPassOn, mayPassOn, poolsOf } from '../core/relay/may-pass-on.ts';
import { inShort } from '../core/relay/push-outcome.ts';
import { Transient } from '../core/text/errors.ts';
import { secondsSince } from '../core/text/instant.ts';
import type { Checkpoint } from '../ports/tables.ts';
import { metricNames } from '../shell/metric-names.ts';
import { unpackBody } from '../shell/packed-body.ts';
import type { Accepted, HeldClaim, RelayPorts, RelaySend } from './relay-ports.ts';
import { tellRelayed } from './tell-relayed.ts';

/** Seconds between two checks of a push whose pools are not confirmed yet. */
const lookEverySeconds = 1;
/** Seconds for one POST including the writes before and after it. The time limit of a request is 10 s. */
const leaseSeconds = 20;
/** The largest body that receive-github accepts. */
const bodyAtMostBytes = 4 * 1024 * 1024;

/** One message = one check. A message from the receiver becomes one message for each Argo CD to relay to; such a
 *  message waits in the queue until its pools are confirmed paused or its time is up, and is then relayed once, and
 *  once more later. The conditions are read again each time, so that lost, repeated and delayed messages change when,
 *  never what. Throws Transient if Argo CD cannot accept it now: the queue retries. */
export async function relay(webhook: WebhookDue, ports: RelayPorts): Promise<void> {
  const { to, delivery, receivedAt } = webhook.data;
  if (to === undefined) return fanOut(webhook, ports);
  const argocd = ports.configuration.argocd.find((each) => each.name === to.argocd);
  if (argocd?.relay === undefined) {
    ports.logger.warn('webhook for an Argo CD instance that has no relay', { argocd: to.argocd, delivery });
    return;
  }
  const send: RelaySend = { delivery, receivedAt, ...to };
  await relayTo({ webhook, argocd, relay: argocd.relay, send }, ports);
}

async function fanOut(webhook: WebhookDue, { configuration, relays, logger }: RelayPorts): Promise<void> {
  const { event, delivery } = webhook.data;
  const wanted = configuration.argocd.flatMap(({ name, relay }) =>
    relay === undefined ? [] : endpointsFor(event, relay).map((endpoint) => ({ argocd: name, endpoint })),
  );
  logger.info('webhook queued for relay', { delivery, targets: wanted.length });
  for (const to of wanted) await relays.send({ ...webhook, data: { ...webhook.data, to: { ...to, round: 1 } } });
}

interface Relaying {
  readonly webhook: WebhookDue;
  readonly argocd: ArgoCdSettings;
  readonly relay: RelaySettings;
  readonly send: RelaySend;
}

async function relayTo(relaying: Relaying, ports: RelayPorts): Promise<void> {
  const { webhook, send } = relaying;
  const may = await mayGo(relaying, ports);
  if (may.kind === 'wait') return ports.relays.send(webhook, lookEverySeconds);

  const claim = await ports.notes.claim(send, leaseSeconds);
  switch (claim.kind) {
    case 'done':
      return;
    case 'taken':
      return ports.relays.send(webhook, Math.max(lookEverySeconds, Math.ceil(claim.untilSeconds)));
    case 'mine': {
      const held = claim.accepted === undefined ? await post(relaying, claim, may, ports) : claim;
      if (held?.accepted !== undefined) await follow(relaying, held, held.accepted, ports);
      return;
    }
    default:
      return claim satisfies never;
  }
}

/** The second time, and webhooks that pause nothing, need no wait. */
async function mayGo({ webhook, argocd, relay, send }: Relaying, ports: RelayPorts): Promise<MayPassOn> {
  if (!webhook.data.awaitsPause || send.round === 2) return { kind: 'go', isLate: false, why: 'it pauses nothing' };
  const stored = await ports.outcomes.load(send);
  const outcome = stored && inShort(stored);
  const paused = Map.groupBy(poolsOf(argocd.name, outcome), ({ cluster }) => cluster);
  // In this order: a pass stores its races first, so that none is older than the look that it is judged by.
  const looks = await Promise.all([...paused.keys()].map((cluster) => lastLook(cluster, ports)));
  const races = await Promise.all([...paused].map(([cluster, named]) => ports.races.find(cluster, named)));
  return mayPassOn({
    argocd,
    receivedAt: send.receivedAt,
    waitAtMostSeconds: relay.waitAtMostSeconds,
    outcome,
    races: races.flat(),
    looks: looks.flatMap((look) => look ?? []),
    now: ports.clock(),
  });
}

/** Undefined: there was none, or it cannot be read. Then what the races say of a pause counts: a push that waited for
 *  what only confirms it once more would become a dead letter. */
async function lastLook(cluster: string, { checkpoints, logger }: RelayPorts): Promise<Checkpoint | undefined> {
  try {
    return await checkpoints.load(cluster);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('whether the pauses have ended could not be read', { cluster, why: cause.message });
    return undefined;
  }
}

type Go = Extract<MayPassOn, { kind: 'go' }>;

/** Makes the POST. Undefined if Argo CD refuses permanently. */
async function post(
  relaying: Relaying,
  claim: HeldClaim,
  { isLate, why }: Go,
  ports: RelayPorts,
): Promise<HeldClaim | undefined> {
  const { webhook, relay, send } = relaying;
  const body = await unpackBody(webhook.data.body, bodyAtMostBytes);
  const answer = await ports.webhooks
    .post({ relay, endpoint: send.endpoint, headers: webhook.data.headers, body })
    .catch((cause: unknown) => giveBack(claim, cause, ports));
  const at = ports.clock();
  switch (answer.kind) {
    case 'accepted':
      return ports.notes.settle(claim, {
        kind: 'accepted',
        accepted: { at: at.toISOString(), receivedAt: send.receivedAt, isLate, why },
      });
    case 'refused':
      await refused(relaying, answer.why, at, ports);
      await ports.notes.settle(claim, { kind: 'refused' });
      return undefined;
    case 'again':
      return giveBack(claim, new Transient(`Argo CD ${send.argocd} did not accept it: ${answer.why}`), ports);
    default:
      return answer satisfies never;
  }
}

async function giveBack(claim: HeldClaim, cause: unknown, { notes }: RelayPorts): Promise<never> {
  await notes.settle(claim, { kind: 'free' });
  throw cause;
}

async function refused({ webhook, argocd, send }: Relaying, why: string, at: Date, ports: RelayPorts): Promise<void> {
  ports.metrics.count(metricNames.relaysRefused);
  ports.logger.error('webhook refused by Argo CD', { ...aboutOf(send), why });
  if (webhook.data.event !== 'push' || send.round === 2) return;
  await tellRelayed(webhook, { send, cluster: argocd.cluster, outcome: 'refused', why, at }, ports);
}

/** Steps after an accepted POST, repeated from the start if a crash left them undone: the second POST is queued, the
 *  event published. */
async function follow(
  { webhook, argocd, relay, send }: Relaying,
  claim: HeldClaim,
  { at, isLate, why }: Accepted,
  ports: RelayPorts,
): Promise<void> {
  const { relays, notes, metrics, logger } = ports;
  if (send.round === 1 && webhook.data.event !== 'ping') {
    const { endpoint } = send;
    const to = { argocd: argocd.name, endpoint, round: 2 as const };
    await relays.send({ ...webhook, data: { ...webhook.data, to } }, relay.sendAgainAfterSeconds);
  }
  if (send.round === 1 && webhook.data.awaitsPause) {
    const outcome = isLate ? 'late' : 'in order';
    await tellRelayed(webhook, { send, cluster: argocd.cluster, outcome, why, at: new Date(at) }, ports);
    metrics.count(isLate ? metricNames.relaysLate : metricNames.relaysInOrder);
    metrics.milliseconds(metricNames.relayWait, Math.max(0, secondsSince(send.receivedAt, new Date(at)) * 1000));
  }
  logger[isLate ? 'warn' : 'info']('webhook relayed', { ...aboutOf(send), late: isLate, why });
  await notes.settle(claim, { kind: 'done' });
}

function aboutOf({ delivery, argocd, endpoint, round }: RelaySend) {
  return { delivery, argocd, endpoint, round };
}
