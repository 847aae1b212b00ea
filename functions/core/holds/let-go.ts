import { isOfPerson } from '../openshift/field-managers.ts';
import { isRolling, type Pool } from '../openshift/pool.ts';
import { type PoolRecord, type ProgramResume, standingHolds } from '../openshift/pool-record.ts';
import { earliest, isPast, plusSeconds } from '../text/instant.ts';

type LetGo = NonNullable<PoolRecord['letGo']>;

/** Seconds for which a pool that a person resumed is left as it is: long enough to do what it was resumed for. */
const respectedSeconds = 3600;

/** Characters of a person or a field manager that the record remembers. */
const nameAtMost = 253;

/** For the record of a pool that a person has resumed. */
export function letGoBy(by: string, config: string, now: Date): LetGo {
  return { at: now.toISOString(), by: by.slice(0, nameAtMost), config };
}

/** Holds that a resume by a program names. */
const holdsNamed = 3;

/** For the record of a pool that somebody else has resumed: if that was a program, what it was. */
export function programResume(
  { pausedBy }: Pick<Pool, 'pausedBy'>,
  record: Pick<PoolRecord, 'holds'>,
  now: Date,
): { readonly program?: ProgramResume } {
  if (isOfPerson(pausedBy?.manager)) return {};
  const standing = standingHolds(record);
  const at = earliest([pausedBy?.at, now.toISOString()]) ?? now.toISOString();
  return { program: { at, holds: standing.slice(0, holdsNamed).map(({ id }) => id) } };
}

/** The resume by a person that is to be respected now: it was a short while ago, or what it let go is rolling still.
 *  What begins to roll in that while is let go with it. Undefined: there is none. */
export function respected(record: PoolRecord, pool: Pool, now: Date): LetGo | undefined {
  const letGo = record.letGo ?? ofLast(record);
  if (letGo === undefined) return undefined;
  if (!isPast(plusSeconds(new Date(letGo.at), respectedSeconds), now)) return { ...letGo, config: pool.target.name };
  return isRolling(pool) && letGo.config === pool.target.name ? letGo : undefined;
}

/** As a version noted it that had no other place for it. */
function ofLast({ last }: PoolRecord): LetGo | undefined {
  if (last?.did !== 'overridden' || last.by === undefined) return undefined;
  return { at: last.at, by: last.by, config: '' };
}
