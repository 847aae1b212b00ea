import { command } from '../../functions/core/text/shell-words.ts';
import { flagWords } from './undo-text.ts';

/** Flags that say which cluster was looked at. */
export interface TypedCluster {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** Commands of ours that act on the cluster of a kubeconfig. */
const ofContext: ReadonlySet<string> = new Set(['emergency', 'explain', 'freeze', 'hold', 'resume', 'thaw', 'why']);

/** A command from the catalogue, with the flags that were typed: pasted as it is, it acts on the cluster that was
 *  looked at, and not on the one of the current context. */
export function inPlace(text: string, { kubeconfig, context }: TypedCluster): string {
  const flags = command(...flagWords({ kubeconfig, context }));
  if (flags === '') return text;
  return text
    .split(/( && |; |\$\()/)
    .map((part) => withFlags(part, flags))
    .join('');
}

function withFlags(part: string, flags: string): string {
  const words = part.split(' ');
  const [program, name, own = ''] = words;
  if (program === 'oc') return ['oc', flags, ...words.slice(1)].join(' ');
  if (program !== 'npx' || name !== 'poolkeeper' || !ofContext.has(own)) return part;
  return ['npx poolkeeper', own, flags, ...words.slice(3)].join(' ');
}
