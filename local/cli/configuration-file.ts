import { access, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { command } from '../../functions/core/text/shell-words.ts';
import type { Surroundings } from './command.ts';

type Places = Pick<Surroundings, 'folders'>;
type Around = Pick<Surroundings, 'environment'> & Places;

/** Flag of every command that goes by a poolkeeper.yaml. Without a default: `configurationFile` knows it. */
export const configFlag = { config: { type: 'string' } } as const;

const usualName = 'poolkeeper.yaml';

/** Names the file for every command of a shell. `POOLKEEPER_CONFIG` is that of the functions, which go by what is
 *  prepared of it. */
const variable = 'POOLKEEPER_YAML';

/** Line of the help of every command with `configFlag`. */
export const configHelp = `  --config FILE     the poolkeeper.yaml (default: the file that ${variable} names, else poolkeeper.yaml of the checkout that this
                    command runs from; where the folder you stand in has another one, one must be named, as it says where
                    tokens are sent)`;

/** The poolkeeper.yaml of a command. It says to which server a token is sent and which cluster a name means. One that
 *  merely lies in the current folder may be that of a repository that others write; that of the command's own checkout
 *  may be the one of another stage, where the current folder is a checkout, too: where both may be meant, neither is
 *  taken.
 *  @param named what `--config` says
 *  Throws Misconfigured where one must be named, and for a variable that would mean another file in each folder. */
export async function configurationFile(named: string | undefined, surroundings: Around): Promise<string> {
  if (named !== undefined) return named;
  const set = surroundings.environment[variable] ?? '';
  if (isAbsolute(set)) return set;
  if (set !== '')
    throw new Misconfigured([
      `${variable}: must be an absolute path; another one would be another file in each folder`,
    ]);
  const usual = usualFile(surroundings);
  const own = await pathOf(usual);
  const here = await fileHere(surroundings);
  if (here === undefined || here === own) return usual;
  const other = own === undefined ? '' : `, or ${command('--config', usual)}`;
  throw new Misconfigured([
    `${usualName} of this folder is not read unless --config names it, as it says where tokens are sent: --config ${usualName}, if it is yours${other}`,
  ]);
}

/** As `configurationFile`, for a command that can do without; undefined: none is named, and the usual one is not
 *  there. */
export async function configurationFileIfAny(
  named: string | undefined,
  surroundings: Around,
): Promise<string | undefined> {
  const file = await configurationFile(named, surroundings);
  return file !== usualFile(surroundings) || (await exists(file)) ? file : undefined;
}

/** As `configurationFileIfAny`, as an absolute path, for a command that goes by a file only where it names a cluster or
 *  means all of them. */
export async function configurationFileOf(
  { config, cluster, fleet }: { readonly config?: string; readonly cluster?: string; readonly fleet?: boolean },
  surroundings: Around,
): Promise<string | undefined> {
  if (cluster === undefined && fleet !== true) return undefined;
  const file = await configurationFileIfAny(config, surroundings);
  return file && anywhere(file, surroundings);
}

/** Throws Misconfigured. */
export async function readConfigurationText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${file}: cannot be read; --config names another file`], { cause });
  });
}

/** As a word of a command that is printed to be pasted, in whatever folder. Throws Misconfigured for a relative path
 *  where there is no current folder. */
export function anywhere(file: string, places: Places): string {
  if (isAbsolute(file)) return file;
  const current = currentFolder(places);
  if (current === undefined) throw new Misconfigured([`${file}: must be an absolute path, as this folder is deleted`]);
  return resolve(current, file);
}

/** `dist/cli` of a package is as deep as `local/cli` of a checkout. */
function usualFile({ folders }: Places): string {
  return join(folders?.own ?? resolve(import.meta.dirname, '../..'), usualName);
}

async function fileHere(places: Places): Promise<string | undefined> {
  const current = currentFolder(places);
  return current === undefined ? undefined : pathOf(join(current, usualName));
}

/** Undefined: it was deleted while somebody stands in it. */
function currentFolder({ folders }: Places): string | undefined {
  if (folders !== undefined) return folders.current;
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Without symbolic links; undefined: there is no such file. */
function pathOf(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
