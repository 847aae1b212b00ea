import type { IncidentDue } from '../../events/index.ts';
import { dueEvent } from '../core/alerts/due-event.ts';
import type { TroubleKey } from '../core/findings/trouble.ts';
import { isTroubleKind } from '../core/findings/trouble-words.ts';
import { Transient } from '../core/text/errors.ts';
import { secondsSince } from '../core/text/instant.ts';
import { deliver, type Undelivered } from './deliver.ts';
import type { SendPorts } from './send-ports.ts';
import { tellFailure } from './tell-failure.ts';

const source = '/poolkeeper/send-alerts';

/** Seconds. Longest delay of one queue message. Source: SQS, DelaySeconds. */
const longestDelaySeconds = 900;

/** Brings every target up to the incident's current state. The event is only a hint: events may be late, repeated or
 *  lost, and the targets end in the same state. A failing target does not delay the others. */
export async function sendAlerts(event: IncidentDue, ports: SendPorts): Promise<void> {
  const { cluster, pool, kind } = event.data;
  if (!isTroubleKind(kind)) {
    ports.logger.warn('unknown kind of incident', { kind });
    return;
  }
  const key: TroubleKey = { cluster, pool, kind };
  const problems: unknown[] = [];
  let failing = false;
  for (const target of ports.configuration.alerts.targets) {
    try {
      const undelivered = await deliver(key, target, ports);
      failing ||= undelivered.failing;
      await scheduleNextAttempt(key, target.name, undelivered, ports);
    } catch (error) {
      problems.push(error);
    }
  }
  if (failing) await announceFailure(key, ports);
  const [problem] = problems;
  if (problem !== undefined) throw problem instanceof Error ? problem : new Transient(String(problem));
}

/** A target accepts nothing: the others are alerted of that. */
async function announceFailure(key: TroubleKey, ports: SendPorts): Promise<void> {
  const incident = await tellFailure(key.cluster, ports);
  if (incident !== undefined) await ports.alerts.send(dueEvent(incident, { source, about: 'failing' }, ports.clock()));
}

/** Requests the next attempt. What is too far away for the queue is found by the sweep of keep-pools. */
async function scheduleNextAttempt(
  key: TroubleKey,
  target: string,
  { retryAt }: Undelivered,
  ports: SendPorts,
): Promise<void> {
  if (retryAt === undefined) return;
  const now = ports.clock();
  const delay = Math.max(0, Math.ceil(-secondsSince(retryAt, now)));
  if (delay <= longestDelaySeconds) await ports.alerts.send(dueEvent(key, { source, about: target }, now), delay);
}
