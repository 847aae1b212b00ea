import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { isSameServer } from './connection/configuration-entry.ts';

export interface NamedServer {
  readonly name: string;
  readonly server: string;
}

const Servers = z.object({
  clusters: z.array(z.object({ name: z.string(), api: z.object({ server: z.string() }) })),
});

/** The clusters of a poolkeeper.yaml, with their settings where it can be read. Of a file that is not whole here, as
 *  one that names files of another machine, the addresses alone; nothing where there is no file. */
export async function configuredServers(
  config: string,
): Promise<{ readonly settings: readonly ClusterSettings[]; readonly servers: readonly NamedServer[] }> {
  const text = await readFile(config, 'utf8').catch(() => '');
  if (text === '') return { settings: [], servers: [] };
  const { clustersIfRead } = await import('./configured-clusters.ts');
  const settings = await clustersIfRead(config, {});
  const written = settings ?? Servers.safeParse(yamlOf(text)).data?.clusters ?? [];
  return { settings: settings ?? [], servers: written.map(({ name, api: { server } }) => ({ name, server })) };
}

/** The name of the cluster with this API server, as a poolkeeper.yaml has it; undefined: none is known. */
export async function nameOfServer(server: string, config: string): Promise<string | undefined> {
  const { servers } = await configuredServers(config);
  return servers.find((each) => isSameServer(each.server, server))?.name;
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
