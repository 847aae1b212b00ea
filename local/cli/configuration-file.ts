import { access, readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Surroundings } from './command.ts';

type Places = Pick<Surroundings, 'folders'>;

/** Flag of every command that goes by a poolkeeper.yaml. Without a default: `configurationFile` knows it. */
export const configFlag = { config: { type: 'string' } } as const;

const usualName = 'poolkeeper.yaml';

/** Names the file for every command of a shell. `POOLKEEPER_CONFIG` is that of the functions, which go by what is
 *  prepared of it. */
const variable = 'POOLKEEPER_YAML';

/** Line of the help of every command with `configFlag`. */
export const configHelp = `  --config FILE     the poolkeeper.yaml (default: the file that ${variable} names, else poolkeeper.yaml of the checkout that this
                    command runs from; never that of the folder you stand in, as it says where tokens are sent)`;

/** The poolkeeper.yaml of a command. One that merely lies in the current folder decides nothing: it says to which
 *  server a token is sent and which cluster a name means, and the folder may be the clone of a repository that others
 *  write.
 *  @param named what `--config` says
 *  Throws Misconfigured for a variable that would mean another file in each folder. */
export function configurationFile(
  named: string | undefined,
  surroundings: Pick<Surroundings, 'environment'> & Places,
): string {
  if (named !== undefined) return named;
  const set = surroundings.environment[variable] ?? '';
  if (set === '') return usualFile(surroundings);
  if (isAbsolute(set)) return set;
  throw new Misconfigured([`${variable}: must be an absolute path; another one would be another file in each folder`]);
}

/** As `configurationFile`, for a command that can do without; undefined: none is named, and the usual one is not
 *  there. */
export async function configurationFileIfAny(
  named: string | undefined,
  surroundings: Pick<Surroundings, 'environment'> & Places,
): Promise<string | undefined> {
  const file = configurationFile(named, surroundings);
  return file !== usualFile(surroundings) || (await exists(file)) ? file : undefined;
}

/** Throws Misconfigured. */
export async function readConfigurationText(file: string, places: Places): Promise<string> {
  return readFile(file, 'utf8').catch(async (cause: unknown) => {
    const more = (await notReadHere(file, places)) ?? '--config names another file';
    throw new Misconfigured([`${file}: cannot be read; ${more}`], { cause });
  });
}

/** For people: that the file of the current folder was left alone, where they may have meant it; undefined: there is
 *  none, or another one is there.
 *  @param file that of the command */
export async function notReadHere(file: string, places: Places): Promise<string | undefined> {
  const usual = usualFile(places);
  const here = join(foldersOf(places).current, usualName);
  if (file !== usual || here === usual || (await exists(usual)) || !(await exists(here))) return undefined;
  return `${usualName} of this folder is not read: --config ${usualName} takes it`;
}

/** Says it as a note, to a command that goes on without. */
export async function noteUnreadHere(file: string, surroundings: Pick<Surroundings, 'note'> & Places): Promise<void> {
  const left = await notReadHere(file, surroundings);
  if (left !== undefined) surroundings.note(left);
}

/** As a word of a command that is printed to be pasted, in whatever folder. */
export function anywhere(file: string, places: Places): string {
  return resolve(foldersOf(places).current, file);
}

function usualFile(places: Places): string {
  return join(foldersOf(places).own, usualName);
}

/** `dist/cli` of a package is as deep as `local/cli` of a checkout. */
function foldersOf({ folders }: Places): NonNullable<Surroundings['folders']> {
  return folders ?? { own: resolve(import.meta.dirname, '../..'), current: process.cwd() };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
