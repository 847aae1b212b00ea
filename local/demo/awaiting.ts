import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { readOutbox } from '../../functions/adapters/messengers/outbox.ts';
import { Status } from '../../functions/status/status.ts';
import type { Demo } from './demo-set-up.ts';
import { inTheMargin } from './in-the-margin.ts';
import type { StepPrinter } from './step-printer.ts';

/** Minutes of the cluster's time that the demo waits for its next step before it fails. */
const patienceMinutes = 30;
/** Milliseconds of the cluster's time between two looks. */
const lookEveryMs = 500;

/** A step of the demo did not happen. */
export class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

/** What is said while an event is awaited. */
const awaited: Readonly<Partial<Record<PublishedEvent['type'], string>>> = {
  'poolkeeper.decision.nothing.v1': 'Poolkeeper to decide',
  'poolkeeper.pool.paused.v1': 'Poolkeeper to pause the pool',
  'poolkeeper.pool.confirmed.v1': 'the MCO to observe the pause',
  'poolkeeper.pool.released.v1': 'the hold to end',
  'poolkeeper.pool.resumed.v1': 'the gates to open',
  'poolkeeper.race.decided.v1': 'Poolkeeper to say whether the pause was in time',
  'poolkeeper.incident.opened.v1': 'Poolkeeper to be sure that something is wrong',
  'poolkeeper.incident.resolved.v1': 'the incident to end: for five minutes, nothing of it may be seen',
};

type Published<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>;

/** The first event of this type about pool worker, as soon as it is published. */
export async function awaitEvent<const Type extends PublishedEvent['type']>(
  demo: Demo,
  type: Type,
): Promise<Published<Type>> {
  const isIt = (event: PublishedEvent): event is Published<Type> => event.type === type;
  const find = () => demo.published.find(isIt);
  await waitUntil(demo, awaited[type] ?? `Poolkeeper to publish ${type}`, async () => find() !== undefined);
  const event = find();
  if (event === undefined) throw new DemoFailed(`${type} was published and is gone`);
  return event;
}

/** Waits until `isSo`. Throws DemoFailed, naming `what` was awaited, when it takes too long. */
export async function waitUntil(
  { clock, log, whileWaiting }: Demo,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = clock.now().getTime() + patienceMinutes * 60_000;
  while (!(await isSo())) {
    if (clock.now().getTime() > deadlineMs)
      throw new DemoFailed(`waited ${patienceMinutes} minutes for ${what}; the log is ${log}`);
    for (const tell of whileWaiting) tell(what);
    await clock.runtime.sleep(lookEveryMs);
  }
}

/** Prints the message from the outbox, where it is edited in place as in a channel. */
export async function showMessage(demo: Demo, state: 'FIRING' | 'RESOLVED', say: StepPrinter['say']): Promise<void> {
  const currentText = async () => {
    const [first] = await readOutbox(demo.outbox);
    return first === undefined ? '' : readFile(join(demo.outbox, `${first.name}.txt`), 'utf8');
  };
  await waitUntil(demo, `the message to say ${state}`, async () => (await currentText()).includes(`${state} `));
  say('');
  for (const line of inTheMargin(await currentText())) say(line);
  say('');
}

/** What the status page knows, as the command line reads it. */
export async function readStatus({ server }: Demo): Promise<Status> {
  const answer = await fetch(`${server.url}/status`, { headers: { accept: 'application/json' } });
  return Status.parse(await answer.json());
}
