import { freezesToThaw, thawManually } from '../../functions/core/holds/manual-freeze.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { type ChosenCluster, type DonePool, eachCluster, writeEach } from './chosen-pools.ts';
import type { PoolsFlags } from './cluster-flags.ts';
import type { ExitStatus, Surroundings } from './command.ts';
/** Thaws the pools that the flags are about. Throws Misconfigured and Transient. */
export async function thawPools(
  read: PoolsFlags & { readonly by?: string | undefined; readonly 'dry-run': boolean },
  { scope, reason }: { readonly scope: 'pool' | 'cluster'; readonly reason: string },
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const of = read.by === 'all' ? undefined : read.by;
  const isDryRun = read['dry-run'];
  let [failed, thawed] = [0, 0];
  // Whoever could freeze it with --required may thaw it without.
  const missed = await eachCluster({ ...read, required: true }, surroundings, async (cluster) => {
    if (read.by === undefined) requireOnePerson(cluster);
    const now = surroundings.now();
    const frozen = { ...cluster, pools: cluster.pools.filter((pool) => freezesToThaw(pool, { of }).length > 0) };
    const done = await writeEach(frozen, {
      isDryRun,
      decide: (pool) => thawManually(pool, { scope, of }, { who: cluster.who, why: reason, now }),
      event: ({ said }) => ({
        reason: 'ThawedByHand',
        message: `${cluster.who}: ${reason} (the pool ${said})`,
        type: 'Normal',
        at: now,
      }),
    });
    failed += done.filter((each) => each.failed).length + cluster.unread.length;
    if (cluster.unread.length > 0)
      surroundings.note(`${cluster.name}: not thawed, because they cannot be read: ${cluster.unread.join(', ')}.`);
    thawed += done.length;
    tell(cluster.name, done, isDryRun, surroundings);
  });
  for (const each of missed) surroundings.note(`Not thawed: ${each}`);
  if (thawed === 0 && missed.length === 0) surroundings.note('No pool is frozen.');
  return failed + missed.length > 0 || thawed === 0 ? 1 : 0;
}

function tell(
  name: string,
  done: readonly DonePool[],
  isDryRun: boolean,
  { out, note }: Pick<Surroundings, 'out' | 'note'>,
): void {
  for (const { pool, said, failed, change } of done) {
    const holders = listed([...new Set((change?.record?.holds ?? []).map(({ who }) => who))], 3);
    const held = holders === '' ? '' : `, held by ${holders}`;
    if (failed) note(`${name}/${pool} ${said}`);
    else out(`${name}/${pool} ${isDryRun ? said.replace(/^is /, 'would be ') : said}${held}.\n`);
  }
}

/** Throws Misconfigured where it is not clear whose freeze is to end. */
function requireOnePerson({ name, pools }: ChosenCluster): void {
  const freezes = pools.flatMap((pool) => freezesToThaw(pool, {}));
  const people = [...new Set(freezes.map(({ who }) => who))].toSorted();
  if (people.length < 2) return;
  const ends = people.map((who) => `${who} (until ${freezes.find((each) => each.who === who)?.until.slice(0, 16)}Z)`);
  throw new Misconfigured([`${name} is frozen by ${ends.join(' and ')}: --by says whose freeze ends, or all`]);
}
