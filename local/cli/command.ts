import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { unique } from '../../functions/core/text/unique.ts';

/** Input and output of a command; tests substitute their own. */
export interface Surroundings {
  /** The result; may be piped. */
  readonly out: (text: string) => void;
  /** Notes for people, on stderr. */
  readonly note: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Decide which poolkeeper.yaml is meant. `own`: root of the checkout, or package, that the command runs from.
   *  Default: those of this process. */
  readonly folders?: { readonly own: string; readonly current: string };
  /** Waits so many milliseconds; default: real time. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Exit status. 0: success; 1: it failed or something was found; 2: wrong usage or configuration; 3: the result matches
 *  --fail-on. */
export type ExitStatus = 0 | 1 | 2 | 3;

export interface Command {
  readonly help: string;
  /** What its first word may be; each has its own help. */
  readonly subcommands?: Readonly<Record<string, ListedCommand>>;
  /** What its first word may be otherwise, for completion. */
  readonly words?: readonly string[];
  /** What some of its flags may be, for completion: `output` of `--output`. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Throws Misconfigured and Transient; the caller prints them. */
  readonly run: (args: readonly string[], surroundings: Surroundings) => Promise<ExitStatus>;
}

/** A command in the list: its line there, and where it is. */
export interface ListedCommand {
  readonly about: string;
  readonly load: () => Promise<Command>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Parses a command line that has only flags, strictly. Throws Misconfigured. */
export function readArgs<const T extends Options>(args: readonly string[], options: T) {
  return readLine(args, options, false).values;
}

/** Parses flags and positional words. Throws Misconfigured. */
export function readArgsAndWords<const T extends Options>(args: readonly string[], options: T) {
  const { values, positionals } = readLine(args, options, true);
  return { values, words: positionals };
}

function readLine<const T extends Options>(args: readonly string[], options: T, allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals });
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.split(/\.\s/)[0] : 'the command line cannot be read';
    throw new Misconfigured([`${said}; see --help`], { cause });
  }
}

/** `a,b` as a list of distinct names. Throws Misconfigured for what is not a Kubernetes name. */
export function namesOf(text: string | undefined, flag: string): readonly string[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.filter((name) => !isKubernetesName(name));
  if (wrong.length > 0) throw new Misconfigured([`${flag}: ${wrong.join(', ')} is not a Kubernetes name`]);
  return unique(names);
}

/** @param what of it people are told */
export function reasonProblems(reason: string, what: string): readonly string[] {
  if (reason === '') return [`--reason is missing: why? ${what}`];
  return reason.length < 3 ? ['--reason is too short: at least 3 characters'] : [];
}

export function isKubernetesName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(text);
}

/** Throws Misconfigured unless `value` is one of `allowed`. */
export function oneOf<T extends string>(value: string, allowed: readonly T[], flag: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new Misconfigured([`${flag} ${value}: must be one of ${allowed.join(', ')}`]);
  return found;
}

/** An address of Poolkeeper without a trailing slash. Throws Misconfigured. */
export function baseUrl(text: string, flag: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !['https:', 'http:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    throw new Misconfigured([`${flag} ${text}: must be an https:// address`]);
  return text.replace(/\/+$/, '');
}
