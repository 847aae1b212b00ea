import type { AlertSettings } from '../configuration/alerts.ts';
import { digestOf } from '../findings/digest.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { placeWords } from '../findings/trouble-words.ts';
import { secondsBetween } from '../text/durations.ts';
import { counted, listed } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import { unique } from '../text/unique.ts';
import type { Audience } from './audience.ts';
import { byNeed } from './by-need.ts';
import type { Delivery, Incident, Lost } from './incident.ts';
import { incidentName, troubleToName } from './incident-words.ts';
import {
  isFinal,
  type ReturningAddress,
  returnFinding,
  returningAddresses,
  unreachableByMail,
} from './returned-mail.ts';
import { audienceOf } from './targets.ts';

/** Consecutive failures after which a target counts as unreachable; with the back-off about eight minutes. */
const failuresUntilTold = 5;
/** Seconds of waiting, each time because the target asked for it, after which it counts as unreachable too: a quota
 *  that others have used up may last for a day. */
const waitUntilTold = 600;
/** Seconds after its end during which an incident is still retried on a failing target. */
const giveUpAfterSeconds = 24 * 3600;

/** The target refuses messages, has not accepted any for some time, or does not keep them. */
export function isFailing(delivery: Delivery): boolean {
  const { dead, attempts, lost } = delivery;
  return dead || Math.max(attempts, lost?.count ?? 0) >= failuresUntilTold || waitsLong(delivery);
}

/** Until the next attempt, which is known ahead. */
function waitsLong({ waitsSince, retryAt }: Delivery): boolean {
  return waitsSince !== undefined && retryAt !== undefined && secondsBetween(waitsSince, retryAt) >= waitUntilTold;
}

/** Resolved for so long that a failing target is not retried. */
export function isGivenUp(incident: Incident, delivery: Delivery, now: Date): boolean {
  if (!isFailing(delivery) || incident.state !== 'ok' || incident.resolvedAt === undefined) return false;
  return secondsBetween(incident.resolvedAt, now) > giveUpAfterSeconds;
}

interface Failing {
  readonly target: string;
  readonly why: string;
  readonly dead: boolean;
  readonly incidents: readonly Incident[];
}

/** Failing targets, as far as the incidents of one cluster show them. Derived from what is owed, so every pass reaches
 *  the same result and it ends by itself when the owed messages have arrived. */
export function notifyFailing(input: {
  readonly cluster: string;
  readonly incidents: readonly Incident[];
  readonly alerts: AlertSettings;
  readonly now: Date;
}): Trouble | undefined {
  const failing = failingTargets(input.incidents, input.alerts, input.now);
  const returning = returningAddresses(input.incidents, input.alerts);
  if (failing.length === 0) return returning.length === 0 ? undefined : onlyReturning(input, returning);
  const names = failing.map(({ target }) => target);
  const owed = unique(failing.flatMap(({ incidents }) => incidents));
  const opened = owed.map(({ openedAt }) => openedAt ?? input.now.toISOString());
  const why = failing.length === 1 ? `: ${failing[0]?.why ?? ''}` : '';
  const severity = 'high';
  const findings = [...failing.map((each) => finding(each, input.now)), ...returning.map(returnFinding)];
  return {
    key: { cluster: input.cluster, pool: '*', kind: 'notify-failing' },
    severity,
    class: failing.some(({ dead }) => dead) ? 'structural' : 'external',
    headline: safeLine(`alerts do not reach ${names.join(', ')}${why}`, 200),
    since: opened.toSorted()[0] ?? input.now.toISOString(),
    findings,
    facts: factsOf(byNeed(owed)),
    digest: digestOf(severity, findings),
  };
}

/** Incidents that are named. */
const named = 4;

/** The worst first; the others are counted. */
function factsOf(owed: readonly Incident[]): Trouble['facts'] {
  const shown = owed.slice(0, owed.length > named ? named - 1 : named);
  const more = owed.length - shown.length;
  return [
    ...shown.map((incident) => ({
      label: `Not delivered ${incidentName(incident.number)}`,
      value: `${placeWords(incident.key)}: ${troubleToName(incident)?.headline ?? incident.key.kind}`,
    })),
    ...(more === 0 ? [] : [{ label: 'Not delivered besides', value: counted(more, 'incident') }]),
  ];
}

/** Every target takes our messages, but some mail does not arrive. */
function onlyReturning(
  { cluster, now }: { readonly cluster: string; readonly now: Date },
  returning: readonly ReturningAddress[],
): Trouble {
  const addresses = returning.map(({ address }) => address);
  const [first] = returning;
  const [word, why] = returning.every(({ kind }) => kind === 'complaint')
    ? ['reported as spam by', '']
    : ['comes back from', returning.length === 1 ? `: ${first?.why ?? ''}` : ''];
  const severity = returning.some(isFinal) ? 'high' : 'warning';
  const findings = returning.map(returnFinding);
  return {
    key: { cluster, pool: '*', kind: 'notify-failing' },
    severity,
    class: 'external',
    headline: safeLine(`alert mail ${word} ${listed(addresses, 3)}${why}`, 200),
    since: returning.map(({ at }) => at).toSorted()[0] ?? now.toISOString(),
    findings,
    facts: returning.slice(0, 4).map(({ target, address, incident }) => ({
      label: 'Not delivered',
      value: `${incidentName(incident.number)} to ${address} (alert target ${target})`,
    })),
    digest: digestOf(severity, findings),
  };
}

function failingTargets(incidents: readonly Incident[], alerts: AlertSettings, now: Date): readonly Failing[] {
  return alerts.targets
    .map(({ name }) => name)
    .toSorted()
    .flatMap((target) => {
      const owed = incidents.filter((incident) => {
        const delivery = incident.deliveries[target];
        return delivery !== undefined && isFailing(delivery) && !isGivenUp(incident, delivery, now);
      });
      const deliveries = owed.map((incident) => incident.deliveries[target]);
      if (owed.length === 0) return [];
      const [why = 'no reason given'] = deliveries.flatMap((delivery) => lastErrorOf(delivery) ?? []);
      return [{ target, why, dead: deliveries.some((delivery) => delivery?.dead === true), incidents: owed }];
    });
}

/** A message that was taken, and did not stay, leaves no other error. */
function lastErrorOf(delivery: Delivery | undefined): string | undefined {
  const { lastError, lost } = delivery ?? {};
  return lastError ?? (lost === undefined ? undefined : lostWords(lost));
}

/** Why a message that was taken before is sent again. */
export function lostWords({ why }: Lost): string {
  return `messages do not stay there: ${why}`;
}

function finding({ target, why, dead, incidents }: Failing, now: Date): Finding {
  return {
    code: dead ? 'M1' : 'M2',
    subject: { kind: 'AlertTarget', namespace: '', name: target },
    sentence: dead ? `${target} refuses our messages: ${why}.` : `${target} could not be reached recently: ${why}.`,
    confidence: 'certain',
    class: dead ? 'structural' : 'external',
    evidence: incidents.slice(0, 5).map((incident) => ({
      ref: { kind: 'Incident', namespace: '', name: incidentName(incident.number) },
      path: `deliveries.${target}.lastError`,
      value: why,
      readAt: now.toISOString(),
    })),
    because: [],
    remedies: [{ title: remedyFor(why, target), command: undefined, risk: 'none', undo: undefined, who: 'platform' }],
  };
}

/** By Slack's error codes. */
function remedyFor(why: string, target: string): string {
  if (/is_archived/.test(why)) return 'Unarchive the channel, or name another one in poolkeeper.yaml';
  if (/not_in_channel|channel_not_found/.test(why)) return 'Invite the app to the channel, and check the channel id';
  if (/auth|token|account_inactive/.test(why)) return 'Renew the token in the secret store';
  return `Check the alert target ${target} in poolkeeper.yaml and the logs on the receiving side`;
}

/** A failing target is reported to the other targets, regardless of their filters if those that would accept it all
 *  fail. */
export function audienceOfFailure(
  alerts: AlertSettings,
  trouble: Trouble,
  incidents: readonly Incident[],
  now: Date,
): Audience {
  const byMail = unreachableByMail(returningAddresses(incidents, alerts), alerts);
  const failing = new Set([...failingTargets(incidents, alerts, now).map(({ target }) => target), ...byMail]);
  const { hear, all } = audienceOf(alerts, trouble);
  const reached = hear.filter((name) => !failing.has(name));
  return { hear: reached.length > 0 ? reached : all.filter((name) => !failing.has(name)), all };
}
