import type { RegexNode } from './parse-regex.ts';

/** The work that a backtracking matcher, as JavaScript's are, has with a text: counted, so that no clock is asked. */
export interface StepCounter {
  /** Steps of a search through a text of ASCII characters; stops counting at `most`. */
  count(text: string, most: number): number;
  /** Where the first match begins and ends; undefined: there is none. */
  firstMatch(text: string): readonly [number, number] | undefined;
}

/** Whether a character, by its code, is taken. */
type Table = readonly boolean[];

type Instruction =
  | { readonly kind: 'one'; readonly takes: Table; readonly back: boolean }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'place'; readonly source: string }
  | { readonly kind: 'look'; readonly negative: boolean; end: number }
  /** The start of one round of a loop, and its end: a round that matched nothing is the last one. */
  | { readonly kind: 'mark'; readonly slot: number }
  | { readonly kind: 'moved'; readonly slot: number }
  | { readonly kind: 'done' };

/** An instruction with the fields of all: objects of one shape are played in two thirds of the time. */
interface Step {
  readonly kind: Instruction['kind'];
  readonly takes: Table;
  readonly back: boolean;
  readonly first: number;
  readonly second: number;
  readonly to: number;
  readonly source: string;
  readonly negative: boolean;
  readonly end: number;
  readonly slot: number;
}

const nothing: Omit<Step, 'kind'> = {
  takes: [],
  back: false,
  first: 0,
  second: 0,
  to: 0,
  source: '',
  negative: false,
  end: 0,
  slot: 0,
};

/** Of bounds beyond this only so many rounds are played: the texts are no longer. */
const mostRounds = 4_096;
const asciiCodes = Array.from({ length: 128 }, (_, code) => code);

/** A counter for one regular expression. Of groups only their work is played, nothing is captured. */
export function stepCounter(node: RegexNode, flags: string): StepCounter {
  const program = compile(node, flags);
  const isGlobal = flags.includes('g');

  return {
    count(text, most) {
      const machine = createMachine(program, text, { multiline: flags.includes('m'), most });
      let start = 0;
      while (start <= text.length && machine.steps() < most) {
        const end = machine.run(start);
        if (end >= 0 && !isGlobal) break;
        start = end <= start ? start + 1 : end;
      }
      return machine.steps();
    },
    firstMatch(text) {
      const machine = createMachine(program, text, { multiline: flags.includes('m'), most: Number.POSITIVE_INFINITY });
      for (let start = 0; start <= text.length; start += 1) {
        const end = machine.run(start);
        if (end >= 0) return [start, end];
      }
      return undefined;
    },
  };
}

interface Machine {
  steps(): number;
  /** The end of the first match that begins here; -1: none, or too many steps. */
  run(start: number): number;
}

function createMachine(
  program: readonly Step[],
  text: string,
  { multiline, most }: { readonly multiline: boolean; readonly most: number },
): Machine {
  let steps = 0;

  function isAt(source: string, at: number): boolean {
    if (source === '^') return at === 0 || (multiline && text[at - 1] === '\n');
    if (source === '$') return at === text.length || (multiline && text[at] === '\n');
    const isEdge = isWord(text[at - 1]) !== isWord(text[at]);
    return source === '\\b' ? isEdge : !isEdge;
  }

  function play(from: number, start: number): number {
    const waiting: Thread[] = [{ pc: from, at: start, marks: undefined }];
    for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
      const end = follow(thread, waiting);
      if (end >= 0 || steps >= most) return end;
    }
    return -1;
  }

  /** Until it ends, gets no further (-1), or has taken too many steps. */
  function follow(thread: Thread, waiting: Thread[]): number {
    while (steps < most) {
      steps += 1;
      const instruction = program[thread.pc];
      thread.pc += 1;
      if (instruction === undefined || instruction.kind === 'done') return thread.at;
      if (!passes(instruction, thread, waiting)) return -1;
    }
    return -1;
  }

  function passes(instruction: Step, thread: Thread, waiting: Thread[]): boolean {
    switch (instruction.kind) {
      case 'one': {
        const isTaken = instruction.takes[text.charCodeAt(instruction.back ? thread.at - 1 : thread.at)] === true;
        thread.at += instruction.back ? -1 : 1;
        return isTaken;
      }
      case 'split':
        waiting.push({ pc: instruction.second, at: thread.at, marks: thread.marks });
        thread.pc = instruction.first;
        return true;
      case 'jump':
        thread.pc = instruction.to;
        return true;
      case 'mark':
        thread.marks = { slot: instruction.slot, at: thread.at, before: thread.marks };
        return true;
      case 'moved':
        return markOf(thread.marks, instruction.slot) !== thread.at;
      case 'place':
        return isAt(instruction.source, thread.at);
      case 'look': {
        const isThere = play(thread.pc, thread.at) >= 0;
        thread.pc = instruction.end;
        return isThere !== instruction.negative;
      }
      case 'done':
        return true;
      default:
        return instruction.kind satisfies never;
    }
  }

  return { steps: () => steps, run: (start) => play(0, start) };
}

interface Thread {
  pc: number;
  at: number;
  marks: Mark | undefined;
}

/** Where the rounds of the loops began, the innermost first. */
interface Mark {
  readonly slot: number;
  readonly at: number;
  readonly before: Mark | undefined;
}

function markOf(marks: Mark | undefined, slot: number): number | undefined {
  let mark = marks;
  while (mark !== undefined && mark.slot !== slot) mark = mark.before;
  return mark?.at;
}

function compile(node: RegexNode, flags: string): readonly Step[] {
  const program: Instruction[] = [];
  const forOne = flags.replace(/[gmyd]/g, '');
  let slots = 0;

  function emit(each: RegexNode, back: boolean): void {
    switch (each.kind) {
      case 'one':
        program.push({ kind: 'one', takes: tableOf(each.source, forOne), back });
        return;
      case 'place':
        program.push({ kind: 'place', source: each.source });
        return;
      case 'sequence':
        for (const part of back ? each.parts.toReversed() : each.parts) emit(part, back);
        return;
      case 'either':
        emitEither(each.options, back);
        return;
      case 'look':
        emitLook(each);
        return;
      case 'repeat':
        emitRepeat(each, back);
        return;
      default:
        each satisfies never;
    }
  }

  function emitLook({ of, behind, negative }: Extract<RegexNode, { kind: 'look' }>): void {
    const look = { kind: 'look' as const, negative, end: 0 };
    program.push(look);
    emit(of, behind);
    program.push({ kind: 'done' });
    look.end = program.length;
  }

  function emitEither(options: readonly RegexNode[], back: boolean): void {
    const ends = options.map((option, index) => {
      const split = { kind: 'split' as const, first: program.length + 1, second: 0 };
      if (index < options.length - 1) program.push(split);
      emit(option, back);
      const end = { kind: 'jump' as const, to: 0 };
      program.push(end);
      split.second = program.length;
      return end;
    });
    for (const end of ends) end.to = program.length;
  }

  function emitRepeat({ of, min, max, lazy }: Extract<RegexNode, { kind: 'repeat' }>, back: boolean): void {
    for (let round = 0; round < Math.min(min, mostRounds); round += 1) emit(of, back);
    if (max === Number.POSITIVE_INFINITY) {
      emitLoop(of, lazy, back);
      return;
    }
    const splits = Array.from({ length: Math.min(max, mostRounds) - Math.min(min, mostRounds) }, () => {
      const split = { kind: 'split' as const, first: 0, second: 0 };
      program.push(split);
      const inside = program.length;
      emit(of, back);
      return { split, inside };
    });
    for (const { split, inside } of splits) choose(split, inside, program.length, lazy);
  }

  function emitLoop(of: RegexNode, lazy: boolean, back: boolean): void {
    const slot = slots;
    slots += 1;
    const start = program.length;
    const split = { kind: 'split' as const, first: 0, second: 0 };
    program.push(split);
    // One character is never nothing.
    const mayBeEmpty = of.kind !== 'one';
    if (mayBeEmpty) program.push({ kind: 'mark', slot });
    emit(of, back);
    if (mayBeEmpty) program.push({ kind: 'moved', slot });
    program.push({ kind: 'jump', to: start });
    choose(split, start + 1, program.length, lazy);
  }

  emit(node, false);
  program.push({ kind: 'done' });
  return program.map((instruction) => ({ ...nothing, ...instruction }));
}

function choose(split: { first: number; second: number }, inside: number, past: number, lazy: boolean): void {
  split.first = lazy ? past : inside;
  split.second = lazy ? inside : past;
}

const tables = new Map<string, Table>();

function tableOf(source: string, flags: string): Table {
  const key = `${source} ${flags}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const native = new RegExp(`^(?:${source === '/' ? '\\/' : source})$`, flags);
  const table = asciiCodes.map((code) => native.test(String.fromCharCode(code)));
  tables.set(key, table);
  return table;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
