import type { AlertSettings, AlertTarget } from '../configuration/alerts.ts';
import type { Finding, Remedy } from '../findings/trouble.ts';
import { safeLine } from '../text/safe-text.ts';
import type { Delivery, Incident, ReturnedMail } from './incident.ts';
import { incidentName } from './incident-words.ts';

/** An address of a target whose last mail came back. */
export interface ReturningAddress extends ReturnedMail {
  readonly target: string;
  readonly incident: Incident;
}

type MailTarget = Extract<AlertTarget, { kind: 'email' }>;

/** The targets that send to this address by SES: addresses are compared as SES does, without their case. */
export function targetsTo(address: string, { targets }: AlertSettings): readonly MailTarget[] {
  return targets.filter((target) => target.kind === 'email').filter((target) => sendsTo(target, address));
}

function sendsTo({ via, to }: MailTarget, address: string): boolean {
  return via === 'ses' && to.some((each) => isSameAddress(each, address));
}

function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Mails to an address that have to come back in a row before anybody is told, if none of them does so for good: SES
 *  calls an automatic reply a transient bounce, which follows the arrival of the same mail by seconds, and a mail that
 *  its retries could not deliver as well. Source: Amazon SES, "Contents of event data", bounce types, and `ooto` of the
 *  mailbox simulator. */
const inARowUntilTold = 2;

/** Whether people hear of it. What was refused certainly did not arrive. */
export function isTold({ inARow, refused }: ReturnedMail): boolean {
  return refused === true || inARow === undefined || inARow >= inARowUntilTold;
}

/** It came back for good, or was reported as spam. */
export function isFinal({ inARow }: ReturnedMail): boolean {
  return inARow === undefined;
}

/** The mail, which may not be final, with how many came back in a row.
 *  @param deliveries all of the target: mails of other incidents went to the same address */
export function inItsRow(mail: ReturnedMail, deliveries: readonly Delivery[]): ReturnedMail {
  if (isFinal(mail)) return mail;
  const others = deliveries
    .flatMap(({ returned = [] }) => returned)
    .filter((other) => isSameAddress(other.address, mail.address) && !isSameMail(other, mail));
  return { ...mail, inARow: 1 + Math.max(0, ...others.map(({ inARow = 0 }) => inARow)) };
}

/** The delivery once a mail came back: the last of each address counts, and one that is final before one that is not.
 *  The same object if that changes nothing. */
export function afterReturn(delivery: Delivery, mail: ReturnedMail): Delivery {
  const { returned = [] } = delivery;
  const known = returned.find(({ address }) => isSameAddress(address, mail.address));
  if (known !== undefined && !isFinal(mail) && (isFinal(known) || isSameMail(known, mail))) return delivery;
  const others = returned.filter(({ address }) => !isSameAddress(address, mail.address));
  return { ...delivery, returned: [...others, { ...mail, why: safeLine(mail.why, 300) }].slice(-50) };
}

/** Events come more than once. */
function isSameMail(a: ReturnedMail, b: ReturnedMail): boolean {
  return a.mail === undefined || b.mail === undefined ? a.at === b.at : a.mail === b.mail;
}

/** A mail that the receiving server took. */
export interface ArrivedMail {
  readonly address: string;
  /** ISO instant. */
  readonly at: string;
  /** As of {@link ReturnedMail}. */
  readonly mail?: string | undefined;
}

/** Nothing that came back before counts any more, nor an automatic reply to this mail, whichever is heard of first: the
 *  same object if nothing had come back. */
export function afterArrival(delivery: Delivery, arrived: ArrivedMail): Delivery {
  const { returned = [] } = delivery;
  const left = returned.filter((mail) => !isSameAddress(mail.address, arrived.address) || !isOver(mail, arrived));
  return left.length === returned.length ? delivery : { ...delivery, returned: left };
}

function isOver(returned: ReturnedMail, { at, mail }: ArrivedMail): boolean {
  if (Date.parse(returned.at) <= Date.parse(at)) return true;
  return !isFinal(returned) && mail !== undefined && returned.mail === mail;
}

/** Each address once, with its last mail, one that is final before one that is not. An address that is no longer
 *  configured does not count. */
export function returningAddresses(incidents: readonly Incident[], alerts: AlertSettings): readonly ReturningAddress[] {
  const found = incidents.flatMap((incident) =>
    Object.entries(incident.deliveries).flatMap(([target, { returned = [] }]) =>
      returned
        .filter(isTold)
        .filter((mail) => alerts.targets.some((each) => each.name === target && isStillSentSo(mail, each)))
        .map((mail) => ({ ...mail, target, incident })),
    ),
  );
  const finalFirst = found.toSorted(
    (a, b) => Number(isFinal(b)) - Number(isFinal(a)) || Date.parse(b.at) - Date.parse(a.at),
  );
  const byAddress = Map.groupBy(finalFirst, ({ target, address }) => `${target} ${address.toLowerCase()}`);
  return [...byAddress.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, mails]) => mails.slice(0, 1));
}

/** By SES mail comes back; by SMTP it is refused. */
function isStillSentSo({ address, refused }: ReturnedMail, target: AlertTarget): boolean {
  if (target.kind !== 'email' || (target.via === 'smtp') !== (refused === true)) return false;
  return target.to.some((each) => isSameAddress(each, address));
}

/** Targets none of whose addresses gets mail. */
export function unreachableByMail(
  returning: readonly ReturningAddress[],
  { targets }: AlertSettings,
): readonly string[] {
  return targets
    .filter((target) => target.kind === 'email')
    .filter(({ name, to }) =>
      to.every((address) => returning.some((each) => each.target === name && isSameAddress(each.address, address))),
    )
    .map(({ name }) => name);
}

export function returnFinding(returning: ReturningAddress): Finding {
  const { target, address, kind, why, at, incident } = returning;
  return {
    code: 'M3',
    subject: { kind: 'AlertTarget', namespace: '', name: `${target}/${address.toLowerCase()}` },
    sentence: returnSentence(returning),
    confidence: isFinal(returning) || returning.refused === true ? 'certain' : 'likely',
    class: 'external',
    evidence: [
      {
        ref: { kind: 'Incident', namespace: '', name: incidentName(incident.number) },
        path: `deliveries.${target}.returned`,
        value: `${kind}: ${why}`,
        readAt: at,
      },
    ],
    because: [],
    remedies: remediesFor(returning).map(({ title, command }) => {
      return { title, command, risk: 'none', undo: undefined, who: 'platform' };
    }),
  };
}

function returnSentence({ address, kind, why, inARow, refused, incident }: ReturningAddress): string {
  if (refused === true && inARow !== undefined)
    return `The server did not take our last mail to ${address} for now, which told of ${incidentName(incident.number)}, and it is not sent there again: ${why}.`;
  if (refused === true) return `The server refused our last mail to ${address}: ${why}.`;
  if (kind === 'complaint') return `${address} reported our mail as spam (${why}).`;
  if (inARow === undefined) return `Mail to ${address} comes back: ${why}.`;
  return `The last ${inARow} mails to ${address} came back, and may not have arrived: ${why}.`;
}

function remediesFor(returning: ReturningAddress): readonly Pick<Remedy, 'title' | 'command'>[] {
  const { target, address, kind, refused, incident } = returning;
  if (refused === true && !isFinal(returning)) {
    const title = `Read ${incidentName(incident.number)} on the status page, and have the mail server take mail to ${address} at once: it may be greylisting, or the mailbox may be full`;
    return [{ title, command: undefined }];
  }
  if (refused === true) {
    const title = `Correct the address in alert target ${target} of poolkeeper.yaml, or have the mailbox mended`;
    return [{ title, command: undefined }];
  }
  if (!isFinal(returning)) {
    // SES suppresses no address for such a bounce.
    const title = `Look whether our mail arrives at ${address}: the mailbox may be full, or its server away`;
    return [{ title, command: undefined }];
  }
  return [
    {
      title:
        kind === 'complaint'
          ? `Ask whose mailbox ${address} is to unmark it, or take the address out of alert target ${target}`
          : `Correct the address in alert target ${target} of poolkeeper.yaml, or have the mailbox mended`,
      command: undefined,
    },
    {
      title: 'Once the mailbox takes mail again, take it off the suppression list of SES, which drops mail to it',
      command: isPlainAddress(address)
        ? `aws sesv2 delete-suppressed-destination --email-address ${address}`
        : undefined,
    },
  ];
}

/** Needs no quotes in a shell. */
function isPlainAddress(address: string): boolean {
  return /^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$/.test(address);
}
