import { poolkeeperCommand } from '../../functions/core/text/shell-words.ts';

/** Flags that say which clusters a command was about. */
interface TypedCluster {
  readonly kubeconfig?: string | undefined;
  /** The one that was used, also if it was not typed: another may be the current one by the time of the undo. */
  readonly context?: string | undefined;
  /** As it was typed: with it, the context is refused once it leads elsewhere. */
  readonly cluster?: string | undefined;
  /** The file that knows of the cluster or the fleet, as an absolute path. */
  readonly config?: string | undefined;
}

/** The line under what was done that says how it is undone, on the same clusters.
 *  @param words the command without them, its reason and, where one is needed, its time */
export function undoText(words: readonly string[], typed: TypedCluster): string {
  const { kubeconfig, context, cluster, config } = typed;
  return `  undo: ${poolkeeperCommand(...words, ...flagWords({ kubeconfig, context, cluster, config }))} --reason "..."\n`;
}

/** Flags that were typed, as words of a command. */
export function flagWords(typed: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(typed).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
}

/** The pools that a command was about, as its flags say it. */
export function poolWords({ pool, fleet }: { readonly pool?: string | undefined; readonly fleet: boolean }) {
  if (pool !== undefined) return ['--pool', pool];
  return [fleet ? '--fleet' : '--all'];
}
