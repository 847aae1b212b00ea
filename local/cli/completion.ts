import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, type ListedCommand, oneOf, readArgsAndWords } from './command.ts';

const help = `Prints the completion of commands and flags for your shell.

  source <(npx poolkeeper completion bash)                                       in ~/.bashrc
  source <(npx poolkeeper completion zsh)                                        in ~/.zshrc, after compinit
  npx poolkeeper completion fish > ~/.config/fish/completions/poolkeeper.fish

It completes \`poolkeeper\`, and changes with each version.
`;

/** What can be completed: the commands, the subcommands and flags of each. The flags of a subcommand are among those of
 *  its command. */
type Words = readonly {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly string[];
  readonly subcommands: readonly string[];
}[];

/** The command that completes these commands. */
export function completionOf(commands: Readonly<Record<string, ListedCommand>>): Command {
  return {
    help,
    run: async (args, { out }) => {
      const [shell, ...more] = readArgsAndWords(args, {}).words;
      if (shell === undefined || more.length > 0) throw new Misconfigured(['which shell? bash, zsh or fish']);
      out(scriptFor(oneOf(shell, ['bash', 'zsh', 'fish'], 'shell'), await wordsOf(commands)));
      return 0;
    },
  };
}

/** Flags are what the help of a command says. */
async function wordsOf(commands: Readonly<Record<string, ListedCommand>>): Promise<Words> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { about, load }]) => {
      const { help: text, subcommands = {} } = await load();
      const below = await wordsOf(subcommands);
      const flags = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)].map(([flag]) => flag);
      const all = new Set(['--help', ...flags, ...below.flatMap((each) => each.flags)]);
      return { name, about, flags: [...all].toSorted(), subcommands: Object.keys(subcommands) };
    }),
  );
}

function scriptFor(shell: 'bash' | 'zsh' | 'fish', words: Words): string {
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      // zsh runs the same function.
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
    case 'fish':
      return fishScript(words);
    default:
      return shell satisfies never;
  }
}

function bashScript(words: Words): string {
  const cases = words.map(
    ({ name, flags, subcommands }) => `      ${name}) words='${flags.join(' ')}' below='${subcommands.join(' ')}' ;;`,
  );
  return `_poolkeeper() {
  local words below current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${words.map(({ name }) => name).join(' ')} --help --version'
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
    case "$current" in
      -*) ;;
      *) if [ "$COMP_CWORD" -eq 2 ] && [ -n "$below" ]; then words="$below"; else return; fi ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _poolkeeper poolkeeper
`;
}

function fishScript(words: Words): string {
  const lines = words.flatMap(({ name, about, flags, subcommands }) => [
    `complete -c poolkeeper -n __fish_use_subcommand -f -a ${name} -d '${about.replaceAll("'", '')}'`,
    ...subcommands.map((each) => `complete -c poolkeeper -n '__fish_seen_subcommand_from ${name}' -f -a ${each}`),
    ...flags.map((flag) => `complete -c poolkeeper -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ]);
  return `${lines.join('\n')}\n`;
}
