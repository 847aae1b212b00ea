/** What of a node says which config it has. */
interface Configured {
  readonly currentConfig: string;
  readonly desiredConfig: string;
}

/** A node as if it had been updated in its own pool: configs of the canary with the names that its pool gives the same
 *  content. Everybody who judges a run compares names. */
export function asInPool<Each extends Configured>(node: Each, pool: string, canary: string | undefined): Each {
  if (canary === undefined || canary === pool) return node;
  const [currentConfig, desiredConfig] = [node.currentConfig, node.desiredConfig].map((name) =>
    ofPool(name, pool, canary),
  );
  return { ...node, currentConfig, desiredConfig };
}

function ofPool(config: string, pool: string, canary: string): string {
  const beginning = `rendered-${canary}-`;
  const hash = config.startsWith(beginning) ? config.slice(beginning.length) : '';
  return /^[0-9a-z]+$/.test(hash) ? `rendered-${pool}-${hash}` : config;
}
