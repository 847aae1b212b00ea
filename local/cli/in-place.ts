import { command } from '../../functions/core/text/shell-words.ts';
import type { Surroundings } from './command.ts';
import { anywhere } from './configuration-file.ts';
import { flagWords } from './undo-text.ts';

/** Flags that say which cluster was looked at. */
export interface TypedCluster {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The poolkeeper.yaml, as an absolute path. */
  readonly config?: string | undefined;
}

/** Of what was typed. A file that was not named is that of the same command in the same place. */
export function typedCluster(
  { kubeconfig, context, config }: TypedCluster,
  surroundings: Pick<Surroundings, 'folders'>,
): TypedCluster {
  return { kubeconfig, context, config: config && anywhere(config, surroundings) };
}

/** What stands in quotes, where others may have written a command, and what begins one that acts on the cluster of a
 *  kubeconfig, or goes by the configuration alone. */
const quotedOrProgram =
  /'[^']*'|\\.|(?<=^| && |; (?:do )?|\$\()(?:(?<oc>oc)|(?<both>poolkeeper (?:emergency|explain|freeze|hold|resume|thaw|why))|poolkeeper (?:doctor|(?:run|sequence) (?:abort|go-on|pause|retry|skip|start|status)))(?= |$)/g;

/** A command from the catalogue, with the flags that were typed: pasted as it is, it acts on the cluster that was
 *  looked at, and not on the one of the current context, and goes by the same file. */
export function inPlace(text: string, { kubeconfig, context, config }: TypedCluster): string {
  const [kube, file] = [flagWords({ kubeconfig, context }), flagWords({ config })];
  return text.replaceAll(quotedOrProgram, (found, ...more) => {
    if (/^['\\]/.test(found)) return found;
    const { oc, both } = more.at(-1);
    const flags = [...((oc ?? both) === undefined ? [] : kube), ...(oc === undefined ? file : [])];
    return flags.length === 0 ? found : `${found} ${command(...flags)}`;
  });
}
