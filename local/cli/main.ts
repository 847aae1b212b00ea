import { runCommand } from './run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text.endsWith('\n') ? text : `${text}\n`),
  environment: process.env,
  now: () => new Date(),
});
