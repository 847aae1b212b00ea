import { command } from '../../functions/core/text/shell-words.ts';
import { flagWords } from './undo-text.ts';

/** Flags that say which cluster was looked at. */
export interface TypedCluster {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** What stands in quotes, where others may have written a command, and what begins one that acts on the cluster of a
 *  kubeconfig. */
const quotedOrProgram =
  /'[^']*'|\\.|(?<=^| && |; (?:do )?|\$\()(?:oc|poolkeeper (?:emergency|explain|freeze|hold|resume|thaw|why))(?= |$)/g;

/** A command from the catalogue, with the flags that were typed: pasted as it is, it acts on the cluster that was
 *  looked at, and not on the one of the current context. */
export function inPlace(text: string, { kubeconfig, context }: TypedCluster): string {
  const flags = command(...flagWords({ kubeconfig, context }));
  if (flags === '') return text;
  return text.replaceAll(quotedOrProgram, (found) => (/^['\\]/.test(found) ? found : `${found} ${flags}`));
}
