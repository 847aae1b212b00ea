/** Where a context leads to, and where it was to lead. */
interface Elsewhere {
  readonly context: string;
  readonly server: string;
  /** The configured cluster that it leads to; undefined: none is known. */
  readonly other: string | undefined;
  /** A context that leads to the right one; undefined: the kubeconfig has none. */
  readonly right: string | undefined;
}

/** That a context leads to another cluster than the one that a command is about, and what to do, in words. */
export function leadsElsewhere({ context, server, other, right }: Elsewhere, about: string): string {
  const which = other === undefined ? '' : `, which is cluster ${other}`;
  const remedy = right === undefined ? '--context names one of that cluster' : `use --context ${right}`;
  return `context ${context} leads to ${server}${which}, but this is about ${about}; ${remedy}`;
}
