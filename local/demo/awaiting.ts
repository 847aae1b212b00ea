import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { readOutbox } from '../../functions/adapters/messengers/outbox.ts';
import type { Demo } from './demo-set-up.ts';
import type { StepPrinter } from './step-printer.ts';

/** Minutes of the cluster's time that the demo waits for its next step before it fails. */
const patienceMinutes = 30;
/** Milliseconds of the cluster's time between two looks. */
const lookEveryMs = 500;

/** A step of the demo did not happen. */
export class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

type Published<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>;

/** The first event of this type about pool worker, as soon as it is published. */
export async function awaitEvent<const Type extends PublishedEvent['type']>(
  demo: Demo,
  type: Type,
): Promise<Published<Type>> {
  const isIt = (event: PublishedEvent): event is Published<Type> => event.type === type;
  const find = () => demo.published.find(isIt);
  await waitUntil(demo, `Poolkeeper to publish ${type}`, async () => find() !== undefined);
  const event = find();
  if (event === undefined) throw new DemoFailed(`${type} was published and is gone`);
  return event;
}

/** Waits until `isSo`. Throws DemoFailed, naming `what` was awaited, when it takes too long. */
export async function waitUntil({ clock, log }: Demo, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = clock.now().getTime() + patienceMinutes * 60_000;
  while (!(await isSo())) {
    if (clock.now().getTime() > deadlineMs)
      throw new DemoFailed(`waited ${patienceMinutes} minutes for ${what}; the log is ${log}`);
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
  for (const line of (await currentText()).trimEnd().split('\n')) say(`            | ${line}`.trimEnd());
  say('');
}
