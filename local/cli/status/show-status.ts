import { Transient } from '../../../functions/core/text/errors.ts';
import type { Status } from '../../../functions/status/status.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { inForm, type OutputForm } from '../output.ts';
import { readStatus } from './read-status.ts';
import { statusText } from './status-text.ts';

interface AskedStatus {
  readonly url: string;
  readonly cluster: string | undefined;
  readonly output: OutputForm;
}

/** Prints the status once. Throws as `readStatus` does. */
export async function showStatus(asked: AskedStatus, surroundings: Surroundings): Promise<ExitStatus> {
  const status = await readStatus(asked.url, asked.cluster, surroundings);
  surroundings.out(await textOf(status, asked));
  return exitStatusOf(status);
}

/** Milliseconds between two looks: what is looked at changes once a minute. */
const lookEveryMs = 5_000;

/** Prints the status whenever it has changed, until the process is ended. That nothing answers is said once, and does
 *  not end it: whoever watches wants to see the end of that, too. */
export async function watchStatus(
  asked: AskedStatus,
  surroundings: Surroundings & { readonly wait: (ms: number) => Promise<unknown> },
): Promise<ExitStatus> {
  let shown = '';
  for (;;) {
    const said = await lookAgain(asked, surroundings);
    if (said.news !== shown) surroundings.out(`${said.text}\n`);
    shown = said.news;
    await surroundings.wait(lookEveryMs);
  }
}

/** What is printed, and that of it which makes it worth printing: ages and the time of the answer do not. */
async function lookAgain(
  asked: AskedStatus,
  surroundings: Surroundings,
): Promise<{ readonly text: string; readonly news: string }> {
  try {
    const status = await readStatus(asked.url, asked.cluster, surroundings);
    return { text: await textOf(status, asked), news: newsOf(status) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { text: `${surroundings.now().toISOString()} ${cause.message}`, news: cause.message };
  }
}

function newsOf({ summary, clusters, incidents, sequences }: Status): string {
  return JSON.stringify([
    summary.sentence,
    clusters.map(({ name, sight, pools, unreadablePools }) => [
      name,
      sight,
      unreadablePools,
      pools.map(({ name: pool, state, pause, counts, why }) => [
        pool,
        state,
        pause?.whose,
        counts,
        why?.now.map((wait) => wait.name),
      ]),
    ]),
    incidents.map(({ name, state, headline }) => [name, state, headline]),
    sequences.map(({ name, state, wave, waves }) => [name, state, wave, waves.map(({ healthy }) => healthy)]),
  ]);
}

function textOf(status: Status, { output }: AskedStatus): Promise<string> {
  return inForm(output, { data: status, text: () => statusText(status), wide: () => statusText(status, 'wide') });
}

function exitStatusOf({ summary, unread }: Status): ExitStatus {
  return unread.length === 0 && ['calm', 'holding'].includes(summary.state) ? 0 : 1;
}
