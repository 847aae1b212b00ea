import { Misconfigured } from '../../functions/core/text/errors.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { type Command, type ListedCommand, oneOf, readArgsAndWords } from './command.ts';
import { outputForms } from './output.ts';

const help = `Prints the completion of commands and flags for your shell.

  source <(poolkeeper completion bash)   in ~/.bashrc
  source <(poolkeeper completion zsh)    in ~/.zshrc, after compinit
  poolkeeper completion fish > ~/.config/fish/completions/poolkeeper.fish

It completes \`poolkeeper\` as a command on your PATH, and changes with each version.
`;

/** What can be completed behind one command or subcommand. */
interface Completed {
  /** `sequence skip`. */
  readonly path: string;
  readonly about: string;
  readonly flags: readonly string[];
  /** Its subcommands, or what else its first word may be. */
  readonly words: readonly string[];
  /** Of flags, without their dashes. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** The command that completes these commands. */
export function completionOf(commands: Readonly<Record<string, ListedCommand>>): Command {
  return {
    help,
    words: shells,
    run: async (args, { out }) => {
      const [shell, ...more] = readArgsAndWords(args, {}).words;
      if (shell === undefined || more.length > 0) throw new Misconfigured(['which shell? bash, zsh or fish']);
      out(scriptFor(oneOf(shell, shells, 'shell'), await completedOf(commands)));
      return 0;
    },
  };
}

/** Flags are what the help of a command says. */
async function completedOf(
  commands: Readonly<Record<string, ListedCommand>>,
  above: readonly string[] = [],
): Promise<readonly Completed[]> {
  const all = await Promise.all(
    Object.entries(commands).map(async ([name, { about, load }]) => {
      const { help: text, subcommands = {}, words = [], values = {} } = await load();
      const path = [...above, name];
      const own = {
        path: path.join(' '),
        about,
        flags: flagsIn(text),
        words: [...Object.keys(subcommands), ...words],
        values: text.includes('-o, --output F') ? { output: outputForms, ...values } : values,
      };
      return [own, ...(await completedOf(subcommands, path))];
    }),
  );
  return all.flat();
}

/** Without those of other commands, which stand in backticks and in examples. */
function flagsIn(text: string): readonly string[] {
  const own = text.replaceAll(/`[^`]*`|^ {2}poolkeeper .*/gm, '').matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g);
  return unique(['--help', ...[...own].map(([flag]) => flag)]).toSorted();
}

function scriptFor(shell: (typeof shells)[number], all: readonly Completed[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(all);
    case 'zsh':
      // zsh runs the same function.
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(all)}`;
    case 'fish':
      return fishScript(all);
    default:
      return shell satisfies never;
  }
}

const isBelow = ({ path }: Completed) => path.includes(' ');

function bashScript(all: readonly Completed[]): string {
  const top = all.filter((each) => !isBelow(each)).map(({ path }) => path);
  const below = all.filter(isBelow).map(({ path }) => `'${path}'`);
  const values = all.flatMap(({ path, values: of }) =>
    Object.entries(of).map(([flag, each]) => {
      const typed = [`'${path} --${flag}'`, ...(flag === 'output' ? [`'${path} -o'`] : [])];
      return `    ${typed.join('|')}) offered='${each.join(' ')}' ;;`;
    }),
  );
  const flags = all.map(({ path, flags: of }) => `        '${path}') offered='${of.join(' ')}' ;;`);
  const words = all
    .filter(({ words: of }) => of.length > 0)
    .map(({ path, words: of }) => `          '${path}') offered='${of.join(' ')}' ;;`);
  return `_poolkeeper() {
  local offered='' at=1 typed="\${COMP_WORDS[1]}" current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${top.join(' ')} --help --version' -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$typed \${COMP_WORDS[2]}" in
      ${below.join('|')}) typed="$typed \${COMP_WORDS[2]}" at=2 ;;
    esac
  fi
  case "$typed \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *)
      case "$current" in
      -*)
        case "$typed" in
${flags.join('\n')}
        esac ;;
      *)
        if [ "$COMP_CWORD" -eq $((at + 1)) ]; then
          case "$typed" in
${words.join('\n')}
          esac
        fi ;;
      esac ;;
  esac
  [ -z "$offered" ] || COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _poolkeeper poolkeeper kubectl-poolkeeper
`;
}

function fishScript(all: readonly Completed[]): string {
  const lines = all.flatMap(({ path, about, flags, words, values }) => [
    ...(path.includes(' ')
      ? []
      : [`complete -c poolkeeper -n __fish_use_subcommand -f -a ${path} -d '${about.replaceAll("'", '')}'`]),
    ...words.map((each) => `complete -c poolkeeper -n '__poolkeeper_at ${path}' -f -a ${each}`),
    ...flags.map((flag) => {
      const of = values[flag.slice(2)];
      const offered = of === undefined ? '' : ` -x -a '${of.join(' ')}'`;
      const short = flag === '--output' && of !== undefined ? ' -s o' : '';
      return `complete -c poolkeeper -n '__poolkeeper_in ${path}' -l ${flag.slice(2)}${short}${offered}`;
    }),
  ]);
  return `complete -c kubectl-poolkeeper -w poolkeeper
function __poolkeeper_in
  set -l typed (commandline -opc)
  set -l last (math (count $argv) + 1)
  test (count $typed) -ge $last; and test "$typed[2..$last]" = "$argv"
end
function __poolkeeper_at
  test (count (commandline -opc)) -eq (math (count $argv) + 1); and __poolkeeper_in $argv
end
${lines.join('\n')}
`;
}
