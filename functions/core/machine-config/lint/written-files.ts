import type { Started } from './effective-commands.ts';
import { plainPath } from './owned-paths.ts';

/** Programs that write to their last argument, or into the folder that `-t` names. */
const toLast: readonly string[] = ['cp', 'mv', 'install', 'ln', 'rsync', 'scp'];
/** Programs of which every path is written, removed or given another mode. */
const toAll: readonly string[] = [
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
/** Programs that change a file in its place only when they are told to. */
const inPlace: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[a-zA-Z]*i|--in-place)/,
  perl: /^-[a-zA-Z0-9]*i/,
  yq: /^(?:-[a-zA-Z]*i|--inplace)/,
  gawk: /^(?:-i|--include)/,
  awk: /^(?:-i|--include)/,
};
/** Programs whose option names the file. */
const byOption: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z]*o|--output)(?:=|$)/,
  wget: /^(?:-[a-zA-Z]*O|--output-document)(?:=|$)/,
  sort: /^(?:-o|--output)(?:=|$)/,
  openssl: /^-out$/,
};

/** Files that a command writes, removes or changes. */
export function writtenBy({ program, args, writesTo }: Started): readonly string[] {
  return [...writesTo, ...namedBy(program, args)].filter((path) => path.startsWith('/')).map(plainPath);
}

function namedBy(program: string, args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !arg.startsWith('-'));
  if (toAll.includes(program)) return paths;
  if (toLast.includes(program)) return copiedTo(program, paths, args);
  if (program === 'dd') return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []));
  const told = Object.hasOwn(inPlace, program) ? inPlace[program] : undefined;
  if (told !== undefined) return args.some((arg) => told.test(arg)) ? paths : [];
  const option = Object.hasOwn(byOption, program) ? byOption[program] : undefined;
  if (option === undefined) return [];
  return args.flatMap((arg, at) => {
    if (!option.test(arg)) return [];
    return [arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[at + 1] ?? '')];
  });
}

/** Into a folder it keeps its name. What is moved is gone where it was. */
function copiedTo(program: string, paths: readonly string[], args: readonly string[]): readonly string[] {
  const folder = args[args.indexOf('-t') + 1];
  const isInto = args.includes('-t') && folder !== undefined;
  const target = isInto ? folder : (paths.at(-1) ?? '');
  const sources = isInto ? paths.filter((path) => path !== folder) : paths.slice(0, -1);
  const into = sources.map((path) => `${target.replace(/\/$/, '')}/${path.slice(path.lastIndexOf('/') + 1)}`);
  return [target, ...into, ...(program === 'mv' ? sources : [])];
}
