import { holdsThatCount } from '../../functions/core/holds/emergency.ts';
import { freezesToThaw, thawManually } from '../../functions/core/holds/manual-freeze.ts';
import { scopeOfFreeze } from '../../functions/core/openshift/freeze.ts';
import { isRequiredForUpgrade, type Pool } from '../../functions/core/openshift/pool.ts';
import { emptyRecord } from '../../functions/core/openshift/pool-record.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { latest } from '../../functions/core/text/instant.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { type ChosenCluster, type DonePool, eachCluster, leftWords, writeEach } from './chosen-pools.ts';
import type { PoolsFlags } from './cluster-flags.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { poolWords, undoText } from './undo-text.ts';

/** Thaws the pools that the flags are about. Throws Misconfigured and Transient. */
export async function thawPools(
  read: PoolsFlags & { readonly by?: string | undefined; readonly 'dry-run': boolean },
  { scope, reason }: { readonly scope: 'pool' | 'cluster'; readonly reason: string },
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const of = read.by === 'all' ? undefined : read.by;
  const isDryRun = read['dry-run'];
  let [failed, thawed, left] = [0, 0, 0];
  const ended: Pool[] = [];
  let context: string | undefined;
  // Whoever could freeze it with --required may thaw it without.
  const missed = await eachCluster({ ...read, required: true }, surroundings, async (cluster) => {
    if (read.by === undefined) requireOnePerson(cluster);
    context = read.fleet ? undefined : cluster.context;
    const now = new Date(surroundings.now().getTime() + cluster.aheadMs);
    const isFrozen = (pool: Pool) => freezesToThaw(pool, { of }).length > 0;
    const frozen = { ...cluster, pools: cluster.pools.filter(isFrozen) };
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
    const leftFrozen = cluster.left.filter(({ pool }) => isFrozen(pool));
    if (leftFrozen.length > 0)
      surroundings.note(`${cluster.name}: still frozen: ${leftWords(leftFrozen)}; --pool P thaws one.`);
    left += leftFrozen.length;
    thawed += done.length;
    ended.push(...frozen.pools.filter(({ name }) => done.some((each) => each.pool === name && !each.failed)));
    tell(cluster.name, done, { isDryRun, now }, surroundings);
  });
  if (!isDryRun)
    for (const words of freezeAgain(ended, { of, read })) surroundings.out(undoText(words, { ...read, context }));
  for (const each of missed) surroundings.note(`Not thawed: ${each}`);
  if (thawed + left + missed.length === 0) surroundings.note('No pool is frozen.');
  return failed + missed.length > 0 || thawed === 0 ? 1 : 0;
}

/** What freezes them again until the ends that they had: one command, or one for each pool of one cluster. */
function freezeAgain(
  pools: readonly Pool[],
  { of, read }: { readonly of: string | undefined; readonly read: PoolsFlags },
): readonly (readonly string[])[] {
  const freezes = pools.flatMap((pool) => freezesToThaw(pool, { of }));
  const ends = new Set(freezes.map(({ until }) => until));
  // A freeze of each pool is none of the cluster, which those that appear later would have, too.
  const isOne = ends.size === 1 && freezes.every(({ id }) => scopeOfFreeze(id) !== 'pool');
  if (isOne && read.pool === undefined) return [freezeWords(poolWords(read), pools, of)];
  // Its pools are those of several clusters.
  if (read.fleet) return [];
  return pools.map((pool) => freezeWords(['--pool', pool.name], [pool], of));
}

function freezeWords(of: readonly string[], pools: readonly Pool[], who: string | undefined): readonly string[] {
  const end = latest(pools.flatMap((pool) => freezesToThaw(pool, { of: who }).map(({ until }) => until))) ?? '';
  const required = pools.some(isRequiredForUpgrade) ? ['--required'] : [];
  return ['freeze', ...of, '--until', `${end.slice(0, 16)}Z`, ...required];
}

function tell(
  name: string,
  done: readonly DonePool[],
  { isDryRun, now }: { readonly isDryRun: boolean; readonly now: Date },
  { out, note }: Pick<Surroundings, 'out' | 'note'>,
): void {
  for (const { pool, said, failed, change } of done) {
    const record = change?.record ?? emptyRecord;
    const holders = listed(unique(holdsThatCount(record, now).map(({ who }) => who)), 3);
    const held = holders === '' ? '' : `, held by ${holders}`;
    if (failed) note(`${name}/${pool} ${said}`);
    else out(`${name}/${pool} ${isDryRun ? said.replace(/^is /, 'would be ') : said}${held}.\n`);
  }
}

/** Throws Misconfigured where it is not clear whose freeze is to end. */
function requireOnePerson({ name, pools }: ChosenCluster): void {
  const freezes = pools.flatMap((pool) => freezesToThaw(pool, {}));
  const people = unique(freezes.map(({ who }) => who)).toSorted();
  if (people.length < 2) return;
  const ends = people.map((who) => `${who} (until ${freezes.find((each) => each.who === who)?.until.slice(0, 16)}Z)`);
  throw new Misconfigured([`${name} is frozen by ${ends.join(' and ')}: --by says whose freeze ends, or all`]);
}
