import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runbook = fileURLToPath(new URL('../../../docs/runbook.md', import.meta.url));

/** The commands that the runbook defines, as a person pastes them, for the stage that is deployed here. */
export function runbookCommands(): string {
  const [, commands = ''] = /## Commands\n+```sh\n([\s\S]*?)```/.exec(readFileSync(runbook, 'utf8')) ?? [];
  if (!commands.includes('redrive()')) throw new Error('the runbook defines no redrive');
  return commands.replace('export STAGE=prod', 'export STAGE=dev');
}

/** Whether a section of the runbook tells a person to type this. */
export function runbookSays(section: string, command: string): boolean {
  const [, text = ''] =
    new RegExp(`\\n## ${section}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(readFileSync(runbook, 'utf8')) ?? [];
  return text.includes(command);
}
