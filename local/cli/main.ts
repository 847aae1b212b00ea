import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { ack, recheck, snooze } from './attend.ts';
import type { Command, ExitStatus, Surroundings } from './command.ts';
import { connect } from './connect.ts';
import { disconnect } from './disconnect.ts';
import { doctor } from './doctor/doctor.ts';
import { explain } from './explain/explain.ts';
import { hold } from './hold.ts';
import { impact } from './impact/impact.ts';
import { manifests } from './manifests.ts';
import { preflight } from './preflight.ts';
import { reboots } from './reboots.ts';
import { record } from './record.ts';
import { replay } from './replay/replay.ts';
import { resume } from './resume.ts';

const commands: Readonly<Record<string, Command>> = {
  ack,
  connect,
  disconnect,
  doctor,
  explain,
  hold,
  impact,
  manifests,
  preflight,
  recheck,
  record,
  replay,
  reboots,
  resume,
  snooze,
};

function overview(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  return `Usage: npx poolkeeper COMMAND\n\n${lines.join('\n')}\n\nnpx poolkeeper COMMAND --help describes each command.\n`;
}

async function main([name = '--help', ...args]: readonly string[], surroundings: Surroundings): Promise<ExitStatus> {
  if (['--help', '-h', 'help'].includes(name)) {
    surroundings.out(overview());
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    surroundings.note(`poolkeeper: unknown command ${name}\n\n${overview()}`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    surroundings.out(command.help);
    return 0;
  }
  return command.run(args, surroundings);
}

/** Expected errors are printed as messages; only defects show a stack trace. */
function sayWhy(cause: unknown): ExitStatus {
  if (cause instanceof Misconfigured) {
    for (const problem of cause.problems) console.error(`poolkeeper: ${problem}`);
    return 2;
  }
  if (cause instanceof Transient) {
    console.error(`poolkeeper: ${cause.message}`);
    return 1;
  }
  console.error(cause);
  return 1;
}

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text.endsWith('\n') ? text : `${text}\n`),
  environment: process.env,
  now: () => new Date(),
}).catch(sayWhy);
