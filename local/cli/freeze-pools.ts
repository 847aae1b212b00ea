import { freezeManually, freezesToThaw } from '../../functions/core/holds/manual-freeze.ts';
import { whyNotResumed } from '../../functions/core/holds/manual-hold.ts';
import { type FreezeScope, scopeOfFreeze } from '../../functions/core/openshift/freeze.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { isPast } from '../../functions/core/text/instant.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { type ChosenCluster, type DonePool, eachCluster, leftWords, writeEach } from './chosen-pools.ts';
import type { PoolsFlags } from './cluster-flags.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { noteUnmanaged } from './note-unmanaged.ts';
import { noteClock } from './pick-cluster.ts';
import { poolWords, undoText } from './undo-text.ts';

interface AskedFreeze {
  readonly scope: FreezeScope;
  readonly reason: string;
  readonly now: Date;
  readonly until: Date;
  /** It was typed as a length of time, not as an instant. */
  readonly isLength: boolean;
}

/** Freezes the pools that the flags are about. Throws Misconfigured and Transient. */
export async function freezePools(
  read: PoolsFlags & { readonly 'past-certificates': boolean; readonly 'dry-run': boolean },
  { scope, reason, ...asked }: AskedFreeze,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const isDryRun = read['dry-run'];
  let failed = 0;
  const froze: FrozenCluster[] = [];
  const missed = await eachCluster(read, surroundings, async (cluster) => {
    const { now, until } = byItsClock(cluster, asked);
    noteClock(cluster.name, cluster.aheadMs, surroundings);
    if (!read['past-certificates']) requireCertificates(cluster, until);
    const done = await writeEach(cluster, {
      isDryRun,
      decide: (pool) => freezeManually(pool, { scope, until }, { who: cluster.who, why: reason, now }),
      event: () => ({
        reason: 'FrozenByHand',
        message: `${cluster.who}: ${reason} (until ${until.toISOString()})`,
        type: 'Normal',
        at: now,
      }),
    });
    failed += done.filter((each) => each.failed).length + cluster.unread.length;
    const pools = cluster.pools.filter(({ name }) => done.some((each) => each.pool === name && !each.failed));
    if (pools.length > 0) froze.push({ ...cluster, pools, now });
    tell(cluster, done, { until, isDryRun }, surroundings);
    const paused = done.filter(({ change }) => change?.paused === true).map(({ pool }) => pool);
    if (paused.length > 0)
      await noteUnmanaged({ client: cluster.connection.client, name: cluster.name, pools: paused }, surroundings);
  });
  if (froze.length > 0 && !isDryRun) surroundings.out(undoOf(froze, scope, read));
  for (const each of missed) surroundings.note(`Not frozen: ${each}`);
  return failed + missed.length > 0 ? 1 : 0;
}

/** Poolkeeper ends the freeze by the clock of the cluster. Throws Misconfigured for an end that is past by it. */
function byItsClock(
  { name, aheadMs }: ChosenCluster,
  { now: ours, until, isLength }: Omit<AskedFreeze, 'scope' | 'reason'>,
) {
  const now = new Date(ours.getTime() + aheadMs);
  if (isLength) return { now, until: new Date(until.getTime() + aheadMs) };
  if (until.getTime() > now.getTime()) return { now, until };
  throw new Misconfigured([
    `--until ${until.toISOString()}: is past; by the clock of ${name} it is ${now.toISOString()}`,
  ]);
}

/** A cluster and those of its pools that were frozen, as they were before. */
interface FrozenCluster extends ChosenCluster {
  /** By its clock. */
  readonly now: Date;
}

/** A thaw ends every freeze of one person. What the same person had frozen before is frozen again until its own end,
 *  where one command can say that. */
function undoOf(
  froze: readonly FrozenCluster[],
  scope: FreezeScope,
  read: PoolsFlags & { readonly 'past-certificates': boolean },
): string {
  const typed = { ...read, context: read.fleet ? undefined : froze[0]?.context };
  const before = froze.flatMap(({ pools, who, now }) =>
    pools.map((pool) => freezesToThaw(pool, { of: who }).filter(({ until }) => !isPast(until, now))),
  );
  const earlier = before.flat();
  if (earlier.length === 0) {
    const people = unique(froze.map(({ who }) => who));
    return undoText(['thaw', ...poolWords(read), ...byWords(people)], typed);
  }
  const ends = [...new Set(earlier.map(({ until }) => `${until.slice(0, 16)}Z`))];
  const isReplaced = before.every(([one, ...more]) => one !== undefined && more.length === 0);
  if (!isReplaced || ends.length > 1 || earlier.some(({ id }) => scopeOfFreeze(id) !== scope)) {
    const who = listed(unique(earlier.map((each) => each.who)), 3);
    return `  undo: in no single command, because thaw would also end what ${who} had frozen before, until ${listed(ends, 3)}\n`;
  }
  const flags = (['required', 'past-certificates'] as const).filter((flag) => read[flag]).map((flag) => `--${flag}`);
  return undoText(['freeze', ...poolWords(read), '--until', ends[0] ?? '', ...flags], typed);
}

/** Others may have frozen the same pools. With the clusters of a fleet, one person may have several names. */
function byWords([who, ...others]: readonly string[]): readonly string[] {
  return who === undefined || others.length > 0 ? [] : ['--by', who];
}

/** Throws Misconfigured if a certificate of a pool expires before the end: on old releases its rotation waits behind
 *  the pause, and then the nodes are lost. */
function requireCertificates({ name, pools }: ChosenCluster, until: Date): void {
  const problems = pools.flatMap(({ name: pool, certificatesExpire: at }) =>
    at !== undefined && Date.parse(at) <= until.getTime()
      ? [
          `${name}/${pool}: its first certificate expires ${at}, before the end of the freeze; --past-certificates accepts that`,
        ]
      : [],
  );
  if (problems.length > 0) throw new Misconfigured(problems);
}

function tell(
  { name, who, left, unread, pools }: ChosenCluster,
  done: readonly DonePool[],
  { until, isDryRun }: { readonly until: Date; readonly isDryRun: boolean },
  { out, note }: Surroundings,
): void {
  const end = `${until.toISOString().slice(0, 16)}Z`;
  for (const { pool, said, failed, change } of done) {
    if (failed) note(`${name}/${pool} ${said}`);
    else if (isDryRun) out(`${name}/${pool} ${wouldBe(change?.paused)} frozen until ${end} by ${who}.\n`);
    else out(`${name}/${pool} ${said}; frozen until ${end} by ${who}.\n`);
    const stays = change?.record && whyNotResumed(change.record);
    if (stays) note(`${name}/${pool}: Poolkeeper will not resume it at the end, because ${stays}.`);
  }
  for (const { name: pool, certificatesExpire: at } of pools)
    if (at !== undefined)
      note(`${name}/${pool}: its first certificate expires ${at}; rotation may wait behind the pause.`);
  if (unread.length > 0) note(`${name}: not frozen, because they cannot be read: ${unread.join(', ')}.`);
  if (left.length > 0) note(`${name}: left alone: ${leftWords(left)}.`);
}

function wouldBe(paused: boolean | undefined): string {
  return paused === true ? 'would be paused and' : 'is paused already and would be';
}
