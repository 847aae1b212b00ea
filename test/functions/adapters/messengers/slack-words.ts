import type { SlackMessage } from '../../../fakes/slack-server.ts';

/** What a person reads of a message: its blocks, or its text when there are none. */
export function wordsOf({ text, blocks }: Pick<SlackMessage, 'text' | 'blocks'>): string {
  const words = blocks.length === 0 ? text : [...strings(blocks)].join('\n');
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Every text inside the blocks, in order. */
function* strings(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* strings(each);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'text' && typeof inner === 'string') yield inner;
    else yield* strings(inner);
  }
}
