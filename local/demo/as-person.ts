import { dirname, join } from 'node:path';
import { runCommand } from '../cli/run-command.ts';
import { DemoFailed } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { inTheMargin } from './in-the-margin.ts';
import type { StepPrinter } from './step-printer.ts';

/** A command of the command line, as somebody types it; its answer is printed below. Throws DemoFailed with its
 *  message if it could not begin. */
export async function runAsPerson(demo: Demo, { step, say }: StepPrinter, line: readonly string[]): Promise<void> {
  const typed = line.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
  step('A person', `types: poolkeeper ${typed}`);
  let answer = '';
  const take = (text: string) => {
    answer += text.endsWith('\n') ? text : `${text}\n`;
  };
  // Whatever poolkeeper.yaml is in this checkout is that of another cluster.
  const folder = dirname(demo.log);
  const status = await runCommand(line, {
    out: take,
    note: take,
    environment: { KUBECONFIG: join(folder, 'kubeconfig'), USER: 'ann' },
    now: () => demo.clock.now(),
    folders: { own: folder, current: folder },
  });
  if (status === 2) throw new DemoFailed(answer);
  say('');
  for (const each of inTheMargin(answer)) say(each);
  say('');
}
