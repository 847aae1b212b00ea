import type { AlertingPolicy } from '../configuration/policy.ts';
import { digestPart, plainName } from '../findings/cause-key.ts';
import { isStructural, rootOf, rootsOf } from '../findings/chain.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { secondsBetween } from '../text/durations.ts';
import { ifGiven } from '../text/if-given.ts';
import { secondsSince } from '../text/instant.ts';
import { withRoom } from '../text/with-room.ts';
import { ownerOfCause, ownerOfCausePart } from './cause-owner.ts';
import type { Passing } from './incident.ts';

/** Seconds for which what heals by itself may last. Source: the MCO calls a node degraded whose drain has failed for an
 *  hour. */
const healsWithinSeconds = 3600;
/** UTF-16 units of the JSON of what may heal: some two hundred. */
const passingAtMost = 32 * 1024;

/** A root cause of a trouble. */
export interface OwnedCause {
  /** What it holds up: the node, for a drain. */
  readonly about: string;
  /** See `ownerOfCause`; of what people did or ask, that itself. Empty: nobody's is known. */
  readonly owner: string;
  /** Its part of the digest. */
  readonly part: string;
  readonly heals: 'not' | 'maybe' | 'by-itself';
}

type Caused = Pick<Trouble, 'digest' | 'findings' | 'acts' | 'asksApproval'>;

/** What the owner of what people did or ask begins with. */
const ofAct = 'act:';

export function isOfAct(owner: string): boolean {
  return owner.startsWith(ofAct);
}

/** What people did or ask others to decide; empty: it is a symptom. */
export function actsOf({ acts, asksApproval }: Pick<Trouble, 'acts' | 'asksApproval'>): readonly string[] {
  return acts ?? ifGiven(asksApproval);
}

/** By the findings and by the digest: of a stored trouble the findings may be cut, and of hundreds the digest. And what
 *  people did or ask, each as a cause of its own. */
export function causesOf(trouble: Caused): readonly OwnedCause[] {
  const { digest, findings } = trouble;
  const found = findings.flatMap(causesOfFinding);
  const known = new Set(found.map(({ part }) => part));
  const others = digest
    .split(';')
    .filter((part) => part.includes(':') && !known.has(part))
    .map(
      (part): OwnedCause => ({
        about: plainName(part.split(':', 1).join('')),
        owner: ownerOfCausePart(part),
        part,
        heals: 'not',
      }),
    );
  const done = actsOf(trouble).map(
    (act, at): OwnedCause => ({ about: '', owner: `${ofAct}${act}`, part: '', heals: 'not', ...of(findings[at]) }),
  );
  return [...found, ...others, ...done];
}

/** Where people are shown what somebody did or asks. */
function of(found: Finding | undefined): Partial<OwnedCause> {
  return found === undefined ? {} : { about: found.subject.name, part: digestPart(found, rootOf(found)) };
}

function causesOfFinding(found: Finding): readonly OwnedCause[] {
  const branches = found.because.length === 0 ? [found] : found.because;
  return branches.flatMap((branch) =>
    rootsOf(branch).map((root) => {
      const heals = isStructural(branch) ? 'not' : healsOf(root);
      return { about: found.subject.name, owner: ownerOfCause(root), part: digestPart(found, root), heals };
    }),
  );
}

/** A pod that a drain has evicted is past its grace for a moment before it is gone, and a node that restarts is not
 *  ready. */
function healsOf({ class: kind, subject }: Finding): OwnedCause['heals'] {
  if (kind === 'self-healing') return 'by-itself';
  return ['Pod', 'Node', 'MachineConfigNode'].includes(subject.kind) ? 'maybe' : 'not';
}

export function ownersOf(causes: readonly OwnedCause[]): ReadonlySet<string> {
  return new Set(causes.map(({ owner }) => owner).filter((owner) => owner !== ''));
}

interface Moment {
  readonly now: Date;
  readonly policy: AlertingPolicy;
}

/** Those that hold somebody up for longer than what passes: an ordinary drain waits for pods of everybody that shut
 *  down. What may heal has lasted as long as any condition before an alert is sent. */
export function lastingCauses(trouble: Caused, passing: readonly Passing[], context: Moment): readonly OwnedCause[] {
  const { now, policy } = context;
  const seen = new Map(goingOn(passing, context).map((each) => [each.cause, each]));
  return causesOf(trouble).filter((cause) => {
    if (cause.heals === 'not') return true;
    const known = seen.get(textOf(cause));
    const seconds = known === undefined ? 0 : secondsSince(known.since, now);
    return seconds >= (cause.heals === 'by-itself' ? healsWithinSeconds : policy.holdDownSeconds);
  });
}

/** One that is not there for a moment goes on: causes that take turns hide no other. */
function goingOn(passing: readonly Passing[], { now, policy }: Moment): readonly Passing[] {
  return passing.filter(
    ({ goneSince }) => goneSince === undefined || secondsBetween(goneSince, now) < policy.keepFiringSeconds,
  );
}

/** What may heal, since when.
 *  @param heard owners whom everybody knows of already */
export function passingCauses(
  trouble: Caused,
  before: readonly Passing[],
  heard: ReadonlySet<string>,
  context: Moment,
): readonly Passing[] {
  const at = context.now.toISOString();
  const mayHeal = causesOf(trouble).filter(({ owner, heals }) => owner !== '' && heals !== 'not');
  const present = new Set(mayHeal.map(textOf));
  const kept = goingOn(before, context).map((each): Passing => {
    if (present.has(each.cause) === (each.goneSince === undefined)) return each;
    return each.goneSince === undefined ? { ...each, goneSince: at } : { cause: each.cause, since: each.since };
  });
  const known = new Set(kept.map(({ cause }) => cause));
  const fresh = [...present].filter((cause) => !known.has(cause)).map((cause): Passing => ({ cause, since: at }));
  // Whoever is known, and what takes an hour, which anybody's pod may, keeps no room from the rest.
  const needOf = ({ cause }: Passing) => (heard.has(ownerOfText(cause)) ? 2 : 0) + (isSlow(cause) ? 1 : 0);
  const byTurn = [...kept, ...fresh].toSorted((a, b) => needOf(a) - needOf(b));
  return withRoom(byTurn, passingAtMost);
}

function textOf({ about, owner, heals }: OwnedCause): string {
  return `${heals} ${about} ${owner}`;
}

function ownerOfText(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1);
}

function isSlow(text: string): boolean {
  return text.startsWith('by-itself ');
}
