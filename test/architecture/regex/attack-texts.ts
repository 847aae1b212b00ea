import type { RegexNode } from './parse-regex.ts';

/** What may stand for one character that a regular expression asks for, and what may not. */
const candidates = [...'a0-_. \n"\'/:=<@#%\\,;[{(|+*AZe\t'];
const separators = [' ', '-', '\n', 'a'];
/** What no pattern goes on with, and a word before the last one, which is behind what a pattern wants at the end. */
const tails = ['', '\n\u0001', 'a a'];

export interface AttackText {
  readonly lead: string;
  readonly pump: string;
  readonly tail: string;
}

/** Texts that make a backtracking matcher work: what the pattern begins with, over and over, with an end that it does
 *  not take. Made from the pattern's own parts, since no other text gets far in it. */
export function attackTexts(node: RegexNode, flags: string): readonly AttackText[] {
  const beginnings = [...new Set(beginningsOf(node, flags))].slice(0, 12);
  const tokens = [...new Set(tokensOf(node, flags))].slice(0, 8);
  const leads = ['', ...beginnings.toSorted((a, b) => b.length - a.length).slice(0, 4)];
  const pumps = beginnings.flatMap((beginning) => [beginning, ...separators.map((mark) => mark + beginning)]);
  const words = tokens.flatMap((first) => tokens.map((second) => first + second));
  return [
    ...pumps.flatMap((pump) => tails.map((tail) => ({ lead: '', pump, tail }))),
    ...tokens.flatMap((pump) => leads.flatMap((lead) => tails.map((tail) => ({ lead, pump, tail })))),
    ...words.flatMap((pump) => leads.slice(0, 2).map((lead) => ({ lead, pump, tail: '\n\u0001' }))),
  ].filter(({ pump }) => pump !== '');
}

/** The text with so many pumps. */
export function attackOf({ lead, pump, tail }: AttackText, repeats: number): string {
  return lead + pump.repeat(repeats) + tail;
}

/** Every part up to which a match may have got. */
function beginningsOf(node: RegexNode, flags: string): readonly string[] {
  switch (node.kind) {
    case 'sequence':
      return node.parts.flatMap((part, index) => {
        const before = samplesOf({ kind: 'sequence', parts: node.parts.slice(0, index) }, flags).slice(0, 3);
        return before.flatMap((text) => beginningsOf(part, flags).map((rest) => text + rest));
      });
    case 'either':
      return node.options.flatMap((option) => beginningsOf(option, flags));
    case 'repeat':
      return beginningsOf(node.of, flags).flatMap((text) => [text, text.repeat(Math.max(1, Math.min(node.min, 64)))]);
    default:
      return samplesOf(node, flags);
  }
}

/** Texts that the part takes. */
function samplesOf(node: RegexNode, flags: string): readonly string[] {
  switch (node.kind) {
    case 'one':
      return charactersOf(node, flags).slice(0, 3);
    case 'sequence':
      return node.parts.reduce<readonly string[]>(
        (texts, part) => {
          const next = samplesOf(part, flags);
          return texts.flatMap((text) => next.map((more) => text + more)).slice(0, 4);
        },
        [''],
      );
    case 'either':
      return node.options.flatMap((option) => samplesOf(option, flags).slice(0, 2)).slice(0, 8);
    case 'repeat':
      return samplesOf(node.of, flags).map((text) => text.repeat(Math.max(1, Math.min(node.min, 64))));
    default:
      return [''];
  }
}

function charactersOf(node: Extract<RegexNode, { kind: 'one' }>, flags: string): readonly string[] {
  if (node.literal !== undefined) return [node.literal];
  const native = new RegExp(`^(?:${node.source})$`, flags.replace(/[gmyd]/g, ''));
  const found = candidates.filter((candidate) => native.test(candidate));
  return found.length > 0 ? found : ['x'];
}

/** Literal runs, and a few characters of each class. */
function tokensOf(node: RegexNode, flags: string): readonly string[] {
  switch (node.kind) {
    case 'one':
      return charactersOf(node, flags).slice(0, 4);
    case 'sequence': {
      const others = node.parts.filter((part) => part.kind !== 'one' || part.literal === undefined);
      return [...literalRuns(node.parts), ...others.flatMap((part) => tokensOf(part, flags))];
    }
    case 'either':
      return node.options.flatMap((option) => tokensOf(option, flags));
    case 'repeat':
    case 'look':
      return tokensOf(node.of, flags);
    case 'place':
      return [];
    default:
      return node satisfies never;
  }
}

function literalRuns(parts: readonly RegexNode[]): readonly string[] {
  const runs: string[] = [''];
  for (const part of parts) {
    if (part.kind === 'one' && part.literal !== undefined) runs.push((runs.pop() ?? '') + part.literal);
    else runs.push('');
  }
  return runs;
}
