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
  const status = await runCommand(line, {
    out: take,
    note: take,
    environment: { KUBECONFIG: join(dirname(demo.log), 'kubeconfig'), USER: 'ann' },
    now: () => demo.clock.now(),
  });
  if (status === 2) throw new DemoFailed(answer);
  say('');
  for (const each of inTheMargin(answer)) say(each);
  say('');
}
