import { readFile } from 'node:fs/promises';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import type { Surroundings } from '../command.ts';
import { inForm, type OutputForm } from '../output.ts';
import { configurationText } from './configuration-text.ts';

/** Prints what a file is understood as. Throws Misconfigured with every problem. */
export async function checkConfiguration(file: string, output: OutputForm, { out, note }: Surroundings): Promise<void> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${file}: cannot be read`], { cause });
  });
  const configuration = readConfiguration(text, {
    source: file,
    warn: (warning) => note(`warning: ${warning}`),
    unread: (each) => note(`note: ${each}`),
  });
  out(await inForm(output, { data: configuration, text: () => configurationText(configuration, file) }));
}
