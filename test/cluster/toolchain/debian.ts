import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Say } from './part.ts';
import { runCommand } from './run-command.ts';
import { tryAgain } from './try-again.ts';

/** Finds a program of the system, installing its Debian package first when it is missing and this process may. */
export async function systemProgram(program: string, debianPackage: string, say: Say): Promise<string> {
  const found = await findProgram(program);
  if (found !== undefined) return found;
  const advice = `\`${program}\` is missing: install the Debian package ${debianPackage}`;
  if (process.getuid?.() !== 0) throw new Error(`${advice} (only root can, this run is not)`);
  if ((await findProgram('apt-get')) === undefined) throw new Error(`${advice} (there is no apt-get here)`);
  say(`${program}: installing the Debian package ${debianPackage}`);
  await install(debianPackage, say).catch((cause: unknown) => {
    throw new Error(`${advice}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  const installed = await findProgram(program);
  if (installed === undefined) throw new Error(`the Debian package ${debianPackage} brought no \`${program}\``);
  return installed;
}

async function install(debianPackage: string, say: Say): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await tryAgain(
    async () => {
      await runCommand({ file: 'apt-get', args: ['update', '-q'], env });
      await runCommand({
        file: 'apt-get',
        args: ['install', '-y', '-q', '--no-install-recommends', debianPackage],
        env,
      });
    },
    { times: 3, pauseMs: 5_000, onFailure: () => say(`${debianPackage}: installation failed, trying again in 5 s`) },
  );
}

async function findProgram(program: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, program);
    const executable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return file;
  }
  return undefined;
}
