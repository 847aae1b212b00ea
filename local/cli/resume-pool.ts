import { holdsToPass, passedLines, resumeManually } from '../../functions/core/holds/manual-hold.ts';
import { isRequiredForUpgrade } from '../../functions/core/openshift/pool.ts';
import { holdAgainSeconds } from '../../functions/core/requests/undo-of.ts';
import { BadInput, Misconfigured } from '../../functions/core/text/errors.ts';
import { durationText } from '../../functions/shell/configuration/duration.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { askDecider } from './pick-cluster.ts';
import { pickNamedCluster } from './pick-named-cluster.ts';
import { undoText } from './undo-text.ts';
import { writeByHand } from './write-pool.ts';

interface AskedResume {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly config: string | undefined;
  readonly pool: string;
  readonly reason: string;
}

/** Resumes the pool, whatever its gates say. Throws Misconfigured and Transient. */
export async function resumePool(asked: AskedResume, surroundings: Surroundings): Promise<ExitStatus> {
  const { pool, reason } = asked;
  const { connection, kubeconfig } = await pickNamedCluster(asked, surroundings);
  try {
    const { who, now } = await askDecider(connection, surroundings);
    let required = false;
    let again = 0;
    const done = await writeByHand(connection.pools, {
      pool,
      decide: (seen) => {
        required = isRequiredForUpgrade(seen);
        again = holdAgainSeconds(holdsToPass(seen), now());
        return asMisconfigured(() => resumeManually(seen, { who, why: reason, now: now() }));
      },
      event: ({ said }) => ({
        reason: 'ResumedByHand',
        message: `${who}: ${reason} (the pool ${said})`,
        type: 'Normal',
        at: now(),
      }),
    });
    const passed = passedLines(done.record).map((line) => `  ${line}\n`);
    surroundings.out(`Pool ${pool} ${done.said}.\n${passed.join('')}`);
    const { context } = kubeconfig;
    const words = ['hold', '--pool', pool, '--for', durationText(again), ...(required ? ['--required'] : [])];
    if (done.paused === false) surroundings.out(undoText(words, { ...asked, context }));
    return done.said.startsWith('stays') ? 1 : 0;
  } finally {
    await connection.close();
  }
}

/** An unreadable record is for a person to fix. */
export function asMisconfigured<T>(decide: () => T): T {
  try {
    return decide();
  } catch (cause) {
    if (cause instanceof BadInput) throw new Misconfigured([cause.message], { cause });
    throw cause;
  }
}
