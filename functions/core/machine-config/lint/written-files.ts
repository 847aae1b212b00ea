import type { Started } from './effective-commands.ts';
import { plainPath } from './owned-paths.ts';

/** Programs that write to their last argument, or into the folder that `-t` names. */
const writesLast: readonly string[] = ['cp', 'mv', 'install', 'ln', 'rsync', 'scp'];
/** Programs that write, remove or change the mode of every path they are given. */
const writesAll: readonly string[] = [
  'tee',
  'rm',
  'unlink',
  'truncate',
  'chmod',
  'touch',
  'shred',
  'patch',
  'crudini',
  'ed',
];
/** Programs that change their files in place only with this option. */
const writesInPlace: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[a-zA-Z]*i|--in-place)/,
  perl: /^-[a-zA-Z0-9]*i/,
  yq: /^(?:-[a-zA-Z]*i|--inplace)/,
  gawk: /^(?:-i|--include)/,
  awk: /^(?:-i|--include)/,
};
/** Programs that write to the file named by this option. */
const writesToOption: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z]*o|--output)(?:=|$)/,
  wget: /^(?:-[a-zA-Z]*O|--output-document)(?:=|$)/,
  sort: /^(?:-o|--output)(?:=|$)/,
  openssl: /^-out$/,
};

/** Absolute paths of the files that a command writes, removes or changes. */
export function writtenBy({ program, args, writesTo, folder }: Started): readonly string[] {
  return [...writesTo, ...namedBy(program, args)]
    .map((path) => (folder !== '' && inFolder.test(path) ? `${folder}/${path}` : path))
    .filter((path) => path.startsWith('/'))
    .map(plainPath);
}

/** The name of a file where the command runs. */
const inFolder = /^[\w.@%+-]{1,255}$/;

function namedBy(program: string, args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !arg.startsWith('-'));
  if (writesAll.includes(program)) {
    // What it is to be like is only read.
    const like = args[args.indexOf('-r') + 1];
    return program === 'touch' && args.includes('-r') ? paths.filter((path) => path !== like) : paths;
  }
  if (writesLast.includes(program)) return copiedTo(program, paths, args);
  if (program === 'dd') return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []));
  const asksInPlace = Object.hasOwn(writesInPlace, program) ? writesInPlace[program] : undefined;
  if (asksInPlace !== undefined) return args.some((arg) => asksInPlace.test(arg)) ? paths : [];
  const option = Object.hasOwn(writesToOption, program) ? writesToOption[program] : undefined;
  if (option === undefined) return [];
  return args.flatMap((arg, at) => {
    if (!option.test(arg)) return [];
    return [arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[at + 1] ?? '')];
  });
}

/** Copied into a folder, a file keeps its name: whether the target is one cannot be known here, so both paths count.
 *  `mv` also removes its sources. */
function copiedTo(program: string, paths: readonly string[], args: readonly string[]): readonly string[] {
  const folder = args[args.indexOf('-t') + 1];
  const isInto = args.includes('-t') && folder !== undefined;
  const target = isInto ? folder : (paths.at(-1) ?? '');
  const sources = isInto ? paths.filter((path) => path !== folder) : paths.slice(0, -1);
  const into = sources.map((path) => `${target.replace(/\/$/, '')}/${path.slice(path.lastIndexOf('/') + 1)}`);
  return [target, ...into, ...(program === 'mv' ? sources : [])];
}
