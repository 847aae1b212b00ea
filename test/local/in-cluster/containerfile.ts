import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

export interface Instruction {
  readonly name: string;
  /** Flags and words, or the elements of the JSON form. */
  readonly words: readonly string[];
}

/** The instructions of the Containerfile, a list for each stage. What stands before the first stage is in none. */
export function stagesOfContainerfile(): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  const text = readFileSync(join(root, 'Containerfile'), 'utf8').replaceAll(/\\\n/g, ' ');
  for (const line of text.split('\n')) {
    const [, name, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, words: wordsOf(rest) });
  }
  return stages;
}

function wordsOf(text: string): readonly string[] {
  return text.startsWith('[') ? JSON.parse(text) : text.trim().split(/\s+/);
}

/** What a stage copies from the checkout: sources and target. */
export function copiedFromCheckout(stage: readonly Instruction[]) {
  return stage
    .filter(({ name, words }) => name === 'COPY' && !words.some((word) => word.startsWith('--from')))
    .map(({ words }) => ({ sources: words.slice(0, -1), target: words.at(-1) ?? '' }));
}
