import { addManualHold, whyNotResumed } from '../../functions/core/holds/manual-hold.ts';
import { isRequiredForUpgrade } from '../../functions/core/openshift/pool.ts';
import { standingHoldsOf } from '../../functions/core/openshift/pool-record.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationText } from '../../functions/shell/configuration/duration.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { noteUnmanaged } from './note-unmanaged.ts';
import { askSelf, noteClock } from './pick-cluster.ts';
import { pickNamedCluster } from './pick-named-cluster.ts';
import { asMisconfigured } from './resume-pool.ts';
import { undoText } from './undo-text.ts';
import { writeByHand } from './write-pool.ts';

interface AskedHold {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly config: string | undefined;
  readonly pool: string;
  readonly reason: string;
  readonly until: Date;
  readonly required: boolean;
}

/** Pauses the pool, with the person's hold on it. Throws Misconfigured and Transient. */
export async function holdPool(asked: AskedHold, surroundings: Surroundings): Promise<ExitStatus> {
  const { pool, reason, required } = asked;
  const { connection, kubeconfig } = await pickNamedCluster(asked, surroundings);
  try {
    const { who, aheadMs } = await askSelf(connection, surroundings);
    const now = new Date(surroundings.now().getTime() + aheadMs);
    const until = new Date(asked.until.getTime() + aheadMs);
    noteClock(kubeconfig.context, aheadMs, surroundings);
    let before: string | undefined;
    const done = await writeByHand(connection.pools, {
      pool,
      decide: (seen) => {
        before = standingHoldsOf(seen).find(({ kind, who: by }) => kind === 'manual' && by === who)?.until;
        if (isRequiredForUpgrade(seen) && !required)
          throw new Misconfigured([`cluster upgrades wait for pool ${pool}; use --required to hold it anyway`]);
        return asMisconfigured(() => addManualHold(seen, until, { who, why: reason, now }));
      },
      event: () => ({
        reason: 'HeldByHand',
        message: `${who}: ${reason} (until ${until.toISOString()})`,
        type: 'Normal',
        at: now,
      }),
    });
    surroundings.out(`Pool ${pool} ${done.said}, and ${who} holds it until ${until.toISOString().slice(0, 16)}Z.\n`);
    // A resume would go past gates and running syncs, too.
    const words = ['hold', '--pool', pool, '--for', leftText(before, now), ...(required ? ['--required'] : [])];
    surroundings.out(undoText(words, { ...asked, context: kubeconfig.context }));
    const stays = done.record && whyNotResumed(done.record);
    if (stays) surroundings.note(`Poolkeeper will not resume it at the end, because ${stays}.`);
    else await noteUnmanaged({ client: connection.client, name: kubeconfig.context, pools: [pool] }, surroundings);
    return 0;
  } finally {
    await connection.close();
  }
}

/** Until the end that the hold had before; the shortest time if there was none. */
function leftText(until: string | undefined, now: Date): string {
  const minutes = until === undefined ? 1 : Math.ceil((Date.parse(until) - now.getTime()) / 60_000);
  return durationText(Math.max(1, minutes) * 60);
}
