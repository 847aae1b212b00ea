import { freezeManually } from '../../functions/core/holds/manual-freeze.ts';
import { FreezeRequest, freezeBounds } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { type ChosenCluster, type DonePool, eachCluster, poolsFlags, scopeOf, writeEach } from './chosen-pools.ts';
import { type Command, readArgs, type Surroundings } from './command.ts';
import { clusterFlagsHelp } from './pick-cluster.ts';
import { typedRequest } from './typed-request.ts';

/** As people type it. */
const longest = `${freezeBounds.most / 3600}h`;

const help = `Freezes pools: nothing rolls out on them until the end. Pools that are not paused are paused now; nodes that are already
being updated finish. \`npx poolkeeper thaw\` ends it earlier, \`npx poolkeeper emergency\` passes it for one pool.

  npx poolkeeper freeze --pool worker --for 4h --reason "storage migration"
  npx poolkeeper freeze --all --until 2027-01-07T06:00Z --reason "end of year" --dry-run
  npx poolkeeper freeze --fleet --for 48h --reason "incident 4711"

  --pool P          one pool
  --all             every pool of the cluster, those that appear later included
  --fleet           the same for each cluster of poolkeeper.yaml, with your own contexts: found by their API servers
  --for TIME        how long: 30m, 4h, 336h; at most ${longest}
  --until WHEN      or its end: 2027-01-07 (0:00 UTC) or 2027-01-07T06:00Z
  --reason "..."    why; shown on each pool and in its events
  --past-certificates   even beyond the expiry of a pool's first certificate
  --required        also pools that cluster upgrades wait for (master): upgrades stall meanwhile
  --dry-run         show what would be done; change nothing
  --config FILE     for --fleet: default poolkeeper.yaml
${clusterFlagsHelp}

Freezing again replaces your freeze. Exit status: 0 = done, 1 = some pools or clusters could not be frozen, 2 = nothing was.
`;

export const freeze: Command = {
  about: 'freeze a pool, a cluster or the fleet until an end, with your name and reason',
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...poolsFlags,
      for: { type: 'string' },
      until: { type: 'string' },
      reason: { type: 'string' },
      'past-certificates': { type: 'boolean', default: false },
    });
    const scope = scopeOf(read);
    const now = surroundings.now();
    const { reason, forSeconds } = typedRequest(
      FreezeRequest,
      { kind: 'freeze', pool: read.pool ?? '*', reason: read.reason ?? '', forSeconds: secondsOf(read, now) },
      { typedTime: read.for ?? read.until, longest },
    );
    const until = new Date(now.getTime() + forSeconds * 1000);
    const isDryRun = read['dry-run'];
    let failed = 0;
    const missed = await eachCluster(read, surroundings, async (cluster) => {
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
      tell(cluster, done, { until, isDryRun }, surroundings);
    });
    for (const each of missed) surroundings.note(`Not frozen: ${each}`);
    return failed + missed.length > 0 ? 1 : 0;
  },
};

/** The length of the freeze; undefined if it cannot be read. */
function secondsOf(
  { for: length, until }: { readonly for?: string | undefined; readonly until?: string | undefined },
  now: Date,
): number | undefined {
  if (length !== undefined && until !== undefined) throw new Misconfigured(['either --for or --until']);
  if (until === undefined) return durationSeconds(length ?? '');
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2}))?$/.test(until) || Number.isNaN(Date.parse(until)))
    throw new Misconfigured([`--until ${until}: must be like 2027-01-07 or 2027-01-07T06:00Z`]);
  return Math.ceil((Date.parse(until) - now.getTime()) / 1000);
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
    if (change?.record?.pause === 'foreign')
      note(`${name}/${pool}: Poolkeeper will not resume it at the end, because it did not pause it.`);
  }
  for (const { name: pool, certificatesExpire: at } of pools)
    if (at !== undefined)
      note(`${name}/${pool}: its first certificate expires ${at}; rotation may wait behind the pause.`);
  if (unread.length > 0) note(`${name}: not frozen, because they cannot be read: ${unread.join(', ')}.`);
  if (left.length > 0) note(`${name}: left alone: ${left.join(', ')}.`);
}

function wouldBe(paused: boolean | undefined): string {
  return paused === true ? 'would be paused and' : 'is paused already and would be';
}
