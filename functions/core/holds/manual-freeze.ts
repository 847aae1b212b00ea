import { type FreezeScope, freezeId, freezesIn, scopeOfFreeze } from '../openshift/freeze.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { Thaw } from '../openshift/pool-record.ts';
import { holdsOf, lasting } from '../openshift/pool-record.ts';
import { earliest, latest } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import { thawAt, thawWords } from './freeze.ts';
import { holdByHand, type ManualChange, type ManualRequest, recordOf } from './manual-hold.ts';

/** Freezes the pool until `until`. Freezing again, by the same person and for the same scope, replaces the freeze.
 *  Throws BadInput for a pool whose record cannot be read. */
export function freezeManually(
  pool: Pool,
  { scope, until }: { readonly scope: FreezeScope; readonly until: Date },
  request: ManualRequest,
): ManualChange {
  const id = freezeId(scope, request.who);
  const { thawed = [], holds } = recordOf(pool);
  // It must be newer than the words that it replaces, even if the clock of whoever wrote them runs ahead.
  const older = [
    ...thawed.filter((each) => each.id === id).map(({ at }) => at),
    ...holds.filter((each) => each.id === id).map(({ since }) => since),
  ];
  const newest = latest(older);
  const since = Math.max(request.now.getTime(), newest === undefined ? 0 : Date.parse(newest) + 1);
  return holdByHand(
    pool,
    { id, kind: 'freeze', since: new Date(since).toISOString(), until: until.toISOString() },
    request,
  );
}

/** Which freezes end. */
export interface Thawing {
  /** `pool`: those that this pool carries, for it alone. `cluster`: those of the whole cluster, on all of its pools,
   *  and those of the pool. */
  readonly scope: 'pool' | 'cluster';
  /** Whose freezes; undefined: everybody's. */
  readonly of?: string | undefined;
}

/** Ends freezes of the pool. It resumes once nothing else holds it and its gates are open. Throws BadInput for a pool
 *  whose record cannot be read. */
export function thawManually(pool: Pool, thawing: Thawing, { who, why, now }: ManualRequest): ManualChange {
  const before = recordOf(pool);
  const ending = freezesToThaw(pool, thawing);
  if (ending.length === 0) return { paused: undefined, record: undefined, said: 'is not frozen' };
  const thaws = ending.map((freeze) => thawOf(freeze, thawing, { who, why, now }));
  const holds = before.holds.filter((hold) => !ending.includes(hold));
  const { thawed = [] } = lasting(before, now);
  const at = now.toISOString();
  const others = thawed.filter(({ id }) => !ending.some((each) => each.id === id));
  const left = freezesIn({ holds });
  return {
    paused: undefined,
    record: {
      ...before,
      holds,
      thawed: [...others, ...thaws],
      release: {
        // What it waits for besides, as an approval after a failed sync, it waits for still.
        ...before.release,
        since: at,
        // A thaw renders nothing.
        finishedAt: before.release?.finishedAt ?? earliest([at, ...ending.map(({ since }) => since)]) ?? at,
        machineConfigs: before.release?.machineConfigs ?? [],
        why: thawWords({ by: who, why }),
        thawedAt: at,
      },
    },
    said: left.length === 0 ? 'is thawed' : `stays frozen by ${listed(unique(left.map((each) => each.who)), 3)}`,
  };
}

/** The freezes on the pool that this would end; none for a pool whose record cannot be read. */
export function freezesToThaw(pool: Pool, { of }: Pick<Thawing, 'of'>): readonly Hold[] {
  return freezesIn({ holds: holdsOf(pool) }).filter(({ who }) => of === undefined || who === of);
}

function thawOf(freeze: Hold, { scope }: Thawing, { who, why, now }: ManualRequest): Thaw {
  const isHere = scope === 'pool' || scopeOfFreeze(freeze.id) === 'pool';
  return thawAt(freeze, now, { by: who, why, until: freeze.until, ...(isHere ? { here: true } : {}) });
}
