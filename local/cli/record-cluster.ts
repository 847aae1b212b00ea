import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { product } from '../../functions/shell/product.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import type { SourceRequest } from './explain/pick-source.ts';
import { pickSource } from './explain/pick-source.ts';
import { takeSnapshot } from './take-snapshot.ts';

interface AskedRecording extends SourceRequest {
  readonly pools: readonly string[];
  readonly node: string | undefined;
  /** The file. */
  readonly out: string;
  /** Seconds from the first to the last snapshot. */
  readonly lasting: number;
  /** Seconds between two. */
  readonly every: number;
}

/** Writes the snapshots to the file. Throws Misconfigured and Transient. */
export async function recordCluster(asked: AskedRecording, surroundings: Surroundings): Promise<ExitStatus> {
  const { out, lasting, every } = asked;
  const source = await pickSource(asked, surroundings);
  const { wait = setTimeout } = surroundings;
  try {
    await writeFile(out, '', { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
      throw new Misconfigured([`${out}: cannot be written, or already exists`], { cause });
    });
    // Loaded for --follow alone: it is most of keep-pools.
    const { createPlayer } = lasting === 0 ? {} : await import('./replay/player.ts');
    const player = createPlayer?.({ cluster: source.cluster, policy: source.policy, product });
    const times = Math.floor(lasting / every) + 1;
    let answered = false;
    for (let time = 0; time < times; time += 1) {
      if (time > 0) await wait(every * 1000);
      const snapshot = await takeSnapshot(source, asked, surroundings, player);
      await appendFile(out, `${JSON.stringify(snapshot)}\n`);
      const failed = failuresOf(snapshot);
      answered ||= failed.length < snapshot.readings.length;
      surroundings.note(`${snapshot.takenAt}: ${answersText(snapshot.readings.length, failed)}`);
    }
    surroundings.out(`${out}\n`);
    return answered ? 0 : 2;
  } finally {
    await source.close();
  }
}

function failuresOf({ readings }: Snapshot): readonly string[] {
  return readings.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer.why] : []));
}

function answersText(asked: number, failed: readonly string[]): string {
  const [first] = failed;
  return first === undefined
    ? `${asked} answers`
    : `${asked - failed.length} answers, ${failed.length} failed: ${first}`;
}
