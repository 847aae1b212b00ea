import { type Approve, identitiesOf, mayApprove } from '../configuration/approve.ts';
import { configOfChange } from '../openshift/change-name.ts';
import type { Release, RolledOut } from '../openshift/pool-record.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';

/** What one identity last said about one change of a pool. */
export interface Approval {
  readonly cluster: string;
  readonly pool: string;
  /** What it is for (`changeName`): what is rendered, or built, afterwards needs approvals of its own. */
  readonly config: string;
  /** Proven by the surface: `slack:U0123456789`, `aws:AIDA...`. */
  readonly who: string;
  /** For people. */
  readonly name: string;
  readonly verb: 'approve' | 'revoke';
  /** ISO instant at which the surface took it. */
  readonly at: string;
  /** Empty for a button in Slack. */
  readonly reason: string;
}

/** How far a clock of a surface may run ahead of ours. Seconds. Slack's signature is valid this long. */
const clockSkewSeconds = 300;

/** What the approvals of a pool come to. */
export interface ApprovalCount {
  /** How many people must approve; one more than configured where it is unknown who pushed. */
  readonly needed: number;
  /** Approvals that count, one for each person, oldest first. */
  readonly given: readonly Approval[];
  /** People who have not approved yet and may, as in `by`. */
  readonly open: readonly string[];
  /** People who may not, because they pushed the change. */
  readonly excluded: readonly string[];
  readonly isPusherUnknown: boolean;
  /** Applications whose syncs that is about, a few; empty: not known. */
  readonly unpushed: readonly string[];
  /** Approvals that do not count, because another change was let go after them. */
  readonly spent: readonly Approval[];
  /** That other change; undefined: none is known. */
  readonly spentBy: Pick<RolledOut, 'change' | 'at'> | undefined;
  readonly missing: number;
}

export interface ApprovalQuestion {
  readonly approve: Approve;
  /** What the pool would roll out (`changeName`). */
  readonly change: string;
  readonly release: Pick<Release, 'pushers' | 'unpushed'> | undefined;
  readonly approvals: readonly Approval[];
  /** What was let go last of the pool. */
  readonly rolledOut: RolledOut | undefined;
  readonly now: Date;
}

/** Counts people, not approvals: each person of `by` once, whatever they approved with and however often. What was
 *  given for another rendered config or image, by somebody who is not on the list (any more), too long ago, before
 *  another change was let go, or has been revoked does not count. Who revokes by the rendered config alone revokes for
 *  each of its images. */
export function countApprovals(question: ApprovalQuestion): ApprovalCount {
  const { approve, change, release, approvals, rolledOut, now } = question;
  const pushers = approve.excludePusher ? (release?.pushers ?? ['']) : [];
  const people = approve.by.map((person) => ({
    person,
    hasPushed: hasPushed(person, pushers),
    approval: approvalOf(person, { change, approvals, expiresSeconds: approve.expiresSeconds, now }),
  }));
  const spentBy = rolledOut?.change === change ? rolledOut.before : rolledOut;
  const isSpent = ({ at }: Approval) => spentBy !== undefined && Date.parse(at) <= Date.parse(spentBy.at);
  const allowed = people.filter((each) => !each.hasPushed);
  const said = oldestFirst(allowed.flatMap(({ approval }) => approval ?? []));
  const given = said.filter((each) => !isSpent(each));
  const isPusherUnknown = pushers.includes('');
  const needed = approve.needed + (isPusherUnknown ? 1 : 0);
  return {
    needed,
    given,
    open: allowed.filter(({ approval }) => approval === undefined || isSpent(approval)).map(({ person }) => person),
    excluded: people.filter((each) => each.hasPushed).map(({ person }) => person),
    isPusherUnknown,
    unpushed: isPusherUnknown ? (release?.unpushed ?? []) : [],
    spent: said.filter(isSpent),
    spentBy,
    missing: Math.max(0, needed - given.length),
  };
}

function oldestFirst(approvals: readonly Approval[]): readonly Approval[] {
  return approvals.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.who < b.who ? -1 : 1));
}

/** When the last of what people have said by now was said, where the clock of a surface runs ahead; undefined: none
 *  does. */
export function saidAhead(approvals: readonly Approval[], now: Date): string | undefined {
  return latest(approvals.map(({ at }) => at).filter((at) => isPossible(at, now) && Date.parse(at) > now.getTime()));
}

/** GitHub does not tell logins apart by case. */
function hasPushed(person: string, pushers: readonly string[]): boolean {
  return identitiesOf(person).some((identity) =>
    pushers.some((login) => login !== '' && identity.toLowerCase() === `github:${login.toLowerCase()}`),
  );
}

/** The person's approval that counts, the newest one; undefined: none. A person who revokes revokes all they gave. */
function approvalOf(
  person: string,
  {
    change,
    approvals,
    expiresSeconds,
    now,
  }: {
    readonly change: string;
    readonly approvals: readonly Approval[];
    readonly expiresSeconds: number;
    readonly now: Date;
  },
): Approval | undefined {
  const identities = identitiesOf(person).filter(mayApprove);
  const said = approvals.filter(
    (each) => isAbout(change, each) && identities.includes(each.who) && isPossible(each.at, now),
  );
  const last = said.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (a.verb === 'revoke' ? -1 : 1))[0];
  if (last === undefined || last.verb === 'revoke') return undefined;
  return isPast(plusSeconds(new Date(last.at), expiresSeconds), now) ? undefined : last;
}

function isAbout(change: string, { config, verb }: Approval): boolean {
  return config === change || (verb === 'revoke' && config === configOfChange(change));
}

/** As far as our clock and those of surfaces agree. An approval from the future would never expire. */
export function isPossible(at: string, now: Date): boolean {
  return Date.parse(at) <= now.getTime() + clockSkewSeconds * 1000;
}
