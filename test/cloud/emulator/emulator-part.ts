import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part } from '../../cluster/toolchain/part.ts';
import { runCommand } from '../../cluster/toolchain/run-command.ts';
import { tryAgain } from '../../cluster/toolchain/try-again.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

/** The AWS emulator and the AWS command line, in a Python environment of their own; every version is pinned. */
export const emulatorPart: Part = {
  name: 'ministack',
  version: '1.5.33',
  cost: 'half a minute',
  recipe: () => readFileSync(requirements, 'utf8'),
  build: async (folder, say) => {
    await runCommand({ file: 'python3', args: ['-m', 'venv', folder] });
    await copyFile(requirements, join(folder, 'requirements.txt'));
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
    await tryAgain(() => runCommand({ file: join(folder, 'bin', 'python'), args }), {
      times: 3,
      pauseMs: 2_000,
      onFailure: (_cause, attempt) => say(`attempt ${attempt} to install failed, trying again`),
    });
  },
};
