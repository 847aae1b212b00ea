import { registerHooks } from 'node:module';

/** A program for tests: runs each command line of the JSON array that it is given, and prints as JSON which modules
 *  were loaded for all of them together, the start included. */
const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});

const { runCommand } = await import('../../../local/cli/run-command.ts');
const lines: readonly (readonly string[])[] = JSON.parse(process.argv[2] ?? '[]');
const answers: unknown[] = [];
for (const line of lines) {
  const said: string[] = [];
  const status = await runCommand(line, {
    out: (text) => said.push(text),
    note: (text) => said.push(text),
    environment: { HOME: '/nonexistent' },
    now: () => new Date('2026-03-03T10:00:00.000Z'),
  });
  answers.push({ line, status, said: said.join('') });
}
process.stdout.write(JSON.stringify({ loaded, answers }));
