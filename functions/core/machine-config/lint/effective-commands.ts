import { commandsOfLiterals } from './literals.ts';
import { shellCommands } from './shell-commands.ts';
import { type Command, keywords } from './shell-reading.ts';

/** What is started in the end: without the shell's own words and programs that only start others. */
export interface Started {
  /** Its name without folders, in lower case. */
  readonly program: string;
  readonly args: readonly string[];
  readonly writesTo: readonly string[];
  /** What it reads, as far as it is known: a here document, or the arguments of the command before it. */
  readonly input: string;
  /** Where it runs, as far as a `cd` before it tells; empty: not known. */
  readonly folder: string;
  /** Line of the text, from 1. */
  readonly line: number;
}

/** Programs that start another one, and their options that take a value. Those with an argument of their own before
 *  it: see `ownArguments`. */
const wrappers: Readonly<Record<string, readonly string[]>> = {
  sudo: [
    ...['-u', '-g', '-h', '-p', '-C', '-r', '-t', '-T', '-U', '-D', '-R'],
    ...['--user', '--group', '--host', '--prompt', '--role', '--type', '--chdir', '--chroot', '--command-timeout'],
  ],
  env: ['-u', '-C', '--unset', '--chdir'],
  exec: ['-a'],
  command: [],
  builtin: [],
  coproc: [],
  time: ['-f', '-o'],
  nohup: [],
  setsid: [],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  timeout: ['-s', '-k', '--signal', '--kill-after'],
  chroot: [],
  nsenter: ['-t', '-S', '-G', '--target'],
  unshare: ['-S', '-G'],
  flock: ['-w', '-E'],
  taskset: [],
  chrt: [],
  stdbuf: ['-i', '-o', '-e'],
  xargs: ['-n', '-P', '-I', '-L', '-d', '-a', '-s', '-E'],
  'systemd-run': ['-u', '-p', '-t', '-E', '-M', '--unit', '--property', '--on-active', '--on-boot', '--description'],
  'systemd-inhibit': [],
  busybox: [],
  watch: ['-n'],
};

const ownArguments: Readonly<Record<string, number>> = { timeout: 1, chroot: 1, flock: 1, taskset: 1, chrt: 1 };

/** What they read they run, at once or later. */
const later: readonly string[] = ['at', 'batch'];
const shells: readonly string[] = ['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh', 'su', 'runuser'];

/** Shells within shells, and programs that start others. */
const deepest = 3;
const mostWrappers = 10;

/** Everything that a script starts, what it hands to other shells included. */
export function startedBy(text: string): readonly Started[] {
  return startedByCommands(shellCommands(text));
}

export function startedByCommands(commands: readonly Command[]): readonly Started[] {
  return withInner(commands, 0, '');
}

/** The same of one command that is already split into words, as systemd does it. */
export function startedByWords(words: readonly string[], line: number): readonly Started[] {
  return withInner([{ words, writesTo: [], input: '', piped: undefined, line }], 0, '');
}

function withInner(commands: readonly Command[], depth: number, from: string): readonly Started[] {
  let folder = from;
  return commands.flatMap((command) => {
    const started = startedOf(command, folder);
    if (started === undefined) return [];
    folder = folderAfter(started);
    const inner = depth < deepest ? innerText(started) : '';
    if (inner === '') return [started];
    const within = withInner(shellCommands(inner), depth + 1, started.folder);
    return [started, ...within.map((each) => ({ ...each, line: command.line }))];
  });
}

/** Longest folder that is remembered, characters. */
const longestFolder = 256;

function folderAfter({ program, args, folder }: Started): string {
  if (program === 'popd') return '';
  if (program !== 'cd' && program !== 'pushd') return folder;
  const to = args.find((arg) => !arg.startsWith('-')) ?? '';
  if (to.length > longestFolder || /[$~]|\.\./.test(to)) return '';
  return to.startsWith('/') ? to : '';
}

function startedOf({ words, writesTo, input, piped, line }: Command, folder: string): Started | undefined {
  let rest = words;
  let read = input === '' && piped !== undefined ? spoken(piped) : input;
  for (let count = 0; count < mostWrappers; count += 1) {
    const inner = unwrapped(rest);
    if (inner === undefined) break;
    if (nameOf(rest[0]) === 'xargs' && read !== '') {
      rest = [...inner, ...read.split(/\s+/).slice(0, 100)];
      read = '';
    } else rest = inner;
  }
  // A variable may have held a whole command.
  const [first = '', ...args] = rest;
  const [program = '', ...more] = first.trim().split(/\s+/).slice(0, 100);
  if (program === '' && writesTo.length === 0) return undefined;
  return { program: nameOf(program), args: [...more, ...args], writesTo, input: read, folder, line };
}

/** What echo, printf and cat of a here document say. */
function spoken({ words, input }: Command): string {
  const [program, ...args] = words;
  if (['echo', 'printf'].includes(nameOf(program))) return args.filter((arg) => !/^-[neE]+$/.test(arg)).join(' ');
  return input;
}

function nameOf(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}

/** Without its first word, if that is no program; undefined: it is one. */
function unwrapped(words: readonly string[]): readonly string[] | undefined {
  const [first = ''] = words;
  if (keywords.includes(first) || /^[A-Za-z_]\w*=/.test(first)) return words.slice(1);
  const name = nameOf(first);
  if (name === 'find') return execOf(words);
  if (isSecondIgnored(name, words[1])) return words.slice(2);
  const valued = valuedOptionsOf(name, words[1]);
  if (valued === undefined) return undefined;
  let at = 1;
  while (words[at]?.startsWith('-')) at += valued.includes(words[at] ?? '') ? 2 : 1;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? '')) at += 1;
  return words.slice(at + (ownArguments[name] ?? 0));
}

/** Undefined: it starts no other program. `command -v` only asks whether there is one. */
function valuedOptionsOf(name: string, second = ''): readonly string[] | undefined {
  if (name === 'command' && /^-[vV]$/.test(second)) return undefined;
  return Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
}

/** `function NAME` and `python -m` stand before a program. */
function isSecondIgnored(name: string, second: string | undefined): boolean {
  return name === 'function' || (/^python[\d.]{0,6}$/.test(name) && second === '-m');
}

function execOf(words: readonly string[]): readonly string[] | undefined {
  const at = words.findIndex((word) => /^-(?:exec|execdir|ok)$/.test(word));
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const end = rest.findIndex((word) => word === ';' || word === '+');
  return end < 0 ? rest : rest.slice(0, end);
}

/** The script that a command hands to a shell; empty if none. */
function innerText({ program, args, input, writesTo }: Started): string {
  if (program === 'eval') return args.join(' ');
  if (program === 'trap') return args[0] ?? '';
  if (/^(?:python[\d.]{0,6}|perl|ruby)$/.test(program)) return innerLiterals(args);
  if (shells.includes(program)) {
    const at = args.findIndex((arg) => /^-[a-zA-Z]*c$/.test(arg));
    if (at >= 0) return args[at + 1] ?? '';
    return args.every((arg) => arg.startsWith('-')) ? input : '';
  }
  if (later.includes(program)) return input;
  // A script that writes a script.
  const isScript = [...writesTo, ...(program === 'tee' ? args : [])].some((path) => /\.sh$|\/s?bin\//.test(path));
  return isScript ? input : '';
}

/** What `python3 -c` and `perl -e` start. */
function innerLiterals(args: readonly string[]): string {
  const at = args.findIndex((arg) => arg === '-c' || arg === '-e');
  return at < 0 ? '' : commandsOfLiterals(args[at + 1] ?? '').join('\n');
}
