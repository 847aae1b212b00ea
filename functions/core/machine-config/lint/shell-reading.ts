/** One simple command: a program with its arguments, as a shell would start it. */
export interface Command {
  readonly words: readonly string[];
  /** Files that its output is redirected to. */
  readonly writesTo: readonly string[];
  /** What a here document or here string gives it. */
  readonly input: string;
  /** The command whose output it reads. */
  readonly piped: Command | undefined;
  /** Line of the text in which it ends, from 1. */
  readonly line: number;
}

/** A command while it is read. */
interface Draft {
  words: string[];
  writesTo: string[];
  input: string;
  piped: Command | undefined;
}

/** An outer command that waits for the end of a substitution or subshell in it. */
export interface Frame {
  readonly closing: ')' | '`';
  readonly draft: Draft;
  readonly word: string | undefined;
  readonly next: Reading['next'];
  readonly isQuoted: boolean;
  readonly cases: number;
  /** The words of `NAME=(...)` so far; undefined: it is none. */
  readonly list: string[] | undefined;
  readonly calculates: boolean;
}

interface HereDocument {
  readonly end: string;
  readonly draft: { input: string };
}

/** Where the reading of a text stands. */
export interface Reading {
  readonly text: string;
  at: number;
  line: number;
  draft: Draft;
  /** Undefined between two words. */
  word: string | undefined;
  /** What the next word is. */
  next: 'argument' | 'target' | 'source' | 'here-string' | 'here-document';
  isQuoted: boolean;
  readonly frames: Frame[];
  /** How many `case ... in` of this shell are open: there an unmatched `)` ends a pattern. */
  cases: number;
  hereDocuments: HereDocument[];
  /** A here document took the rest of the text, because its end is missing. */
  isCut: boolean;
  readonly variables: Map<string, string>;
  /** Characters that variables may still stand for. */
  expandable: number;
  readonly commands: Command[];
}

/** Limits of what is kept; what is beyond is not looked at. */
export const shellLimits = {
  /** Commands of one text. */
  commands: 5_000,
  /** Characters of one word. */
  word: 4_096,
  /** Words of one command. */
  words: 1_000,
  /** Substitutions within one another. */
  frames: 20,
  /** Variables, and characters of one. */
  variables: 200,
  variable: 256,
  /** Characters that all variables of a text stand for. */
  expanded: 100_000,
} as const;

export function newReading(text: string): Reading {
  return {
    text,
    at: 0,
    line: 1,
    draft: newDraft(),
    word: undefined,
    next: 'argument',
    isQuoted: false,
    frames: [],
    cases: 0,
    hereDocuments: [],
    isCut: false,
    variables: new Map(),
    expandable: shellLimits.expanded,
    commands: [],
  };
}

export function newDraft(piped?: Command): Draft {
  return { words: [], writesTo: [], input: '', piped };
}

/** Adds to the word that is read; beyond its limit nothing. */
export function put(reading: Reading, text: string): void {
  const word = reading.word ?? '';
  reading.word = word.length < shellLimits.word ? word + text : word;
}

export function finishWord(reading: Reading): void {
  const { word, draft, next } = reading;
  if (word === undefined) return;
  reading.word = undefined;
  reading.next = 'argument';
  switch (next) {
    case 'argument':
      if (draft.words.length < shellLimits.words) draft.words.push(word);
      noteCase(reading);
      return;
    case 'target':
      draft.writesTo.push(word);
      return;
    case 'here-string':
      draft.input = word;
      return;
    case 'here-document':
      reading.hereDocuments.push({ end: word, draft });
      return;
    case 'source':
      return;
    default:
      next satisfies never;
  }
}

/** Words that may stand before a command. */
export const keywords: readonly string[] = ['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{'];

/** `case WORD in` opens one, `esac` ends it. */
function noteCase(reading: Reading): void {
  const { words } = reading.draft;
  const [before = '{', opening, , last] = [words.at(-4), ...words.slice(-3)];
  if (words.length === 1 && words[0] === 'esac') reading.cases = Math.max(0, reading.cases - 1);
  if (words.length < 3 || opening !== 'case' || last !== 'in' || !keywords.includes(before)) return;
  if (reading.frames.at(-1)?.list !== undefined) return;
  reading.cases += 1;
  // What comes is a pattern.
  finishCommand(reading);
}

/** Ends the command; `isPiped`: its output goes to the next one. */
export function finishCommand(reading: Reading, isPiped = false): void {
  finishWord(reading);
  const { draft } = reading;
  const isEmpty = draft.words.length === 0 && draft.writesTo.length === 0;
  // A here document is read after the line: the draft itself is kept, and filled then.
  const command: Command = Object.assign(draft, { line: reading.line });
  reading.draft = newDraft(isPiped && !isEmpty ? command : undefined);
  reading.next = 'argument';
  if (isEmpty || reading.commands.length >= shellLimits.commands) return;
  reading.commands.push(command);
  remember(reading, command.words);
}

const declaring: readonly string[] = ['export', 'local', 'readonly', 'declare', 'typeset'];

/** `NAME=text` by itself, or declared; of `for NAME in text ...` the first. Of a command's own environment the shell
 *  forgets. */
function remember({ variables }: Reading, words: readonly string[]): void {
  const [first = '', name = '', ofList, each = ''] = words;
  const isLoop = first === 'for' && ofList === 'in';
  const said = isLoop ? [`${name}=${each}`] : declaring.includes(first) ? words.slice(1) : words;
  const pairs = said.slice(0, 20).map((word) => /^([A-Za-z_]\w{0,63})=/.exec(word));
  if (said === words && pairs.some((pair) => pair === null)) return;
  for (const pair of pairs) {
    const name = pair?.[1];
    if (name === undefined || (variables.size >= shellLimits.variables && !variables.has(name))) continue;
    variables.set(name, (pair?.input ?? '').slice(name.length + 1, name.length + 1 + shellLimits.variable));
  }
}
