import { readFile } from 'node:fs/promises';
import { incidentName, outcomeWords, troubleToName } from '../../../functions/core/alerts/incident-words.ts';
import { defaultPolicy, type Policy } from '../../../functions/core/configuration/policy.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { counted, listed } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { product } from '../../../functions/shell/product.ts';
import { readRecording, type Snapshot } from '../../snapshot/snapshot.ts';
import { inForm, type OutputForm } from '../output.ts';
import { type NotRead, play, type Replayed } from './play.ts';
import type { PlayedMessage } from './player.ts';

interface AskedReplay {
  readonly file: string;
  readonly config?: string | undefined;
  readonly messages: boolean;
  readonly output: OutputForm;
}

/** What the recording would have led to, as it is printed. Throws Misconfigured. */
export async function replayRecording({ file, config, messages, output }: AskedReplay): Promise<string> {
  const { snapshots: recording, isCut } = await readRecording(file);
  if (recording.length === 0) throw new Misconfigured([`${file}: is empty`]);
  requireOneCluster(recording, file);
  const course = await play(recording, { policy: await policyOf(config, recording), product });
  return inForm(output, {
    data: { v: 1, ...course, isCut },
    text: () => courseText(course, { recording, isCut, whole: messages }),
  });
}

async function policyOf(config: string | undefined, recording: readonly Snapshot[]): Promise<Policy> {
  if (config === undefined) return defaultPolicy;
  const text = await readFile(config, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`--config ${config}: cannot be read`], { cause });
  });
  const { clusters } = readConfiguration(text, { source: config, unread: () => undefined });
  const name = recording[0]?.cluster ?? '';
  const found = clusters.find((cluster) => cluster.name === name);
  if (found === undefined) throw new Misconfigured([`--config ${config}: contains no cluster ${name}`]);
  return found.policy;
}

/** Recordings of two clusters, one after the other, would be taken for changes of the first. */
function requireOneCluster(recording: readonly Snapshot[], file: string): void {
  const clusters = unique(recording.map(({ cluster }) => cluster));
  if (clusters.length > 1)
    throw new Misconfigured([
      `${file}: holds snapshots of ${clusters.length} clusters; replay each of them on its own: ${listed(clusters, 3)}`,
    ]);
}

interface Shown {
  readonly recording: readonly Snapshot[];
  /** The recording ends in the middle of a snapshot. */
  readonly isCut: boolean;
  /** Every message in full. */
  readonly whole: boolean;
}

function courseText({ messages, incidents, notRead }: Replayed, { recording, isCut, whole }: Shown): string {
  const first = recording[0]?.takenAt ?? '';
  const last = recording.at(-1)?.takenAt ?? '';
  return `${[
    `${counted(recording.length, 'snapshot')} of ${safeLine(recording[0]?.cluster ?? '', 253)}, ${first} to ${last}`,
    '',
    ...(messages.length === 0
      ? [`No message would have been sent${notRead.length === 0 ? '' : ' for what could be read'}.`]
      : messages.flatMap((each) => line(each, whole))),
    '',
    ...incidents.map((incident) => {
      const { number, state, outcome, openedAt, resolvedAt } = incident;
      return [
        incidentName(number),
        state === 'ok' ? `${outcomeWords(outcome)} ${resolvedAt ?? ''}` : state,
        `opened ${openedAt ?? ''}`,
        safeLine(troubleToName(incident)?.headline ?? '', 300),
      ].join('  ');
    }),
    ...(notRead.length === 0 ? [] : ['', 'NOT READ, so not known to be fine', ...notRead.map(missingLine)]),
    ...(isCut ? ['', 'The recording ends in the middle of a snapshot, which was left out.'] : []),
    '',
    'Argo CD is not recorded: nothing of syncs is among this.',
  ].join('\n')}\n`;
}

function missingLine({ path, why, snapshots }: NotRead): string {
  return `  * ${safeLine(path, 300)}, in ${counted(snapshots, 'snapshot')}: ${safeLine(why, 300)}`;
}

function line({ at, part, message }: PlayedMessage, whole: boolean): readonly string[] {
  const head = `${at}  ${part.padEnd(5)}  ${message.slack?.text ?? message.mail?.subject ?? message.occasion}`;
  if (!whole || part === 'edit') return [head];
  return [head, ...(message.mail?.text ?? '').split('\n').map((each) => (each === '' ? '' : `    ${each}`))];
}
