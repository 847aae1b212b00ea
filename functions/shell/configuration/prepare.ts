import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import { readConfiguration } from './read-configuration.ts';

const usage = 'usage: node functions/shell/configuration/prepare.ts poolkeeper.yaml --out .poolkeeper/poolkeeper.json';

/** Checks a configuration and writes it, with every default filled in, as the JSON that `loadConfiguration` reads.
 *  Throws Misconfigured.
 *  @param warn called for keys that are where an earlier version had them */
export async function prepare(
  from: string,
  to: string,
  warn: (warning: string) => void = () => undefined,
): Promise<Configuration> {
  const configuration = readConfiguration(await textOf(from), { source: from, warn });
  await mkdir(dirname(to), { recursive: true });
  await writeFile(`${to}.new`, `${JSON.stringify(configuration, null, 2)}\n`);
  await rename(`${to}.new`, to);
  return configuration;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Misconfigured([`${path}: cannot be read; copy poolkeeper.example.yaml to begin with`], { cause });
  }
}

/** The command. Exit status 2 says that the configuration is wrong; problems and warnings are printed to standard
 *  error. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const { from, to } = wishes(args);
    await prepare(from, to, (warning) => process.stderr.write(`warning: ${warning}\n`));
    return 0;
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    process.stderr.write(error.problems.map((problem) => `${problem}\n`).join(''));
    return 2;
  }
}

function wishes(args: readonly string[]): { readonly from: string; readonly to: string } {
  const { positionals, values } = parsed(args);
  const [from, ...more] = positionals;
  if (from === undefined || more.length > 0 || values.out === undefined) throw new Misconfigured([usage]);
  return { from, to: values.out };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { out: { type: 'string' } } });
  } catch (cause) {
    throw new Misconfigured([usage], { cause });
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
