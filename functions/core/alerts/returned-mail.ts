import type { AlertSettings, AlertTarget } from '../configuration/alerts.ts';
import type { Finding } from '../findings/trouble.ts';
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

/** The delivery once a mail came back; the last of each address counts. */
export function afterReturn(delivery: Delivery, mail: ReturnedMail): Delivery {
  const others = (delivery.returned ?? []).filter(({ address }) => !isSameAddress(address, mail.address));
  return { ...delivery, returned: [...others, { ...mail, why: safeLine(mail.why, 300) }].slice(-50) };
}

/** A later mail arrived there: the same object if nothing had come back. */
export function afterArrival(delivery: Delivery, address: string, at: string): Delivery {
  const { returned = [] } = delivery;
  const left = returned.filter((mail) => !isSameAddress(mail.address, address) || Date.parse(mail.at) > Date.parse(at));
  return left.length === returned.length ? delivery : { ...delivery, returned: left };
}

/** Each address once, with its last mail. An address that is no longer configured does not count. */
export function returningAddresses(incidents: readonly Incident[], alerts: AlertSettings): readonly ReturningAddress[] {
  const found = incidents.flatMap((incident) =>
    Object.entries(incident.deliveries).flatMap(([target, { returned = [] }]) =>
      returned
        .filter(({ address }) => targetsTo(address, alerts).some(({ name }) => name === target))
        .map((mail) => ({ ...mail, target, incident })),
    ),
  );
  const latestFirst = found.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const byAddress = Map.groupBy(latestFirst, ({ target, address }) => `${target} ${address.toLowerCase()}`);
  return [...byAddress.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, mails]) => mails.slice(0, 1));
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

export function returnFinding({ target, address, kind, why, at, incident }: ReturningAddress): Finding {
  const complained = kind === 'complaint';
  const what = complained ? `${address} reported our mail as spam (${why}).` : `Mail to ${address} comes back: ${why}.`;
  return {
    code: 'M3',
    subject: { kind: 'AlertTarget', namespace: '', name: target },
    sentence: what,
    confidence: 'certain',
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
    remedies: [
      {
        title: complained
          ? `Ask whose mailbox ${address} is to unmark it, or take the address out of alert target ${target}`
          : `Correct the address in alert target ${target} of poolkeeper.yaml, or have the mailbox mended`,
        command: undefined,
        risk: 'none',
        undo: undefined,
        who: 'platform',
      },
      {
        title: 'Once the mailbox takes mail again, take it off the suppression list of SES, which drops mail to it',
        command: isPlainAddress(address)
          ? `aws sesv2 delete-suppressed-destination --email-address ${address}`
          : undefined,
        risk: 'none',
        undo: undefined,
        who: 'platform',
      },
    ],
  };
}

/** Needs no quotes in a shell. */
function isPlainAddress(address: string): boolean {
  return /^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$/.test(address);
}
