import { parse } from 'yaml';
import * as z from 'zod';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Surroundings } from './command.ts';
import { configurationFileIfAny, readConfigurationText } from './configuration-file.ts';
import { isSameServer } from './connection/configuration-entry.ts';

export interface NamedServer {
  readonly name: string;
  readonly server: string;
}

const Servers = z.object({
  clusters: z.array(z.object({ name: z.string(), api: z.object({ server: z.string() }) })),
});

/** The clusters of a poolkeeper.yaml, with their settings where it can be read. Of a file that is not whole here, as
 *  one that names files of another machine, the addresses alone.
 *  @param file undefined: there is none
 *  Throws Misconfigured where not even the addresses can be read. */
export async function configuredServers(
  file: string | undefined,
): Promise<{ readonly settings: readonly ClusterSettings[]; readonly servers: readonly NamedServer[] }> {
  if (file === undefined) return { settings: [], servers: [] };
  const { readConfigurationFile } = await import('./configured-clusters.ts');
  try {
    const { clusters } = await readConfigurationFile(file);
    return { settings: clusters, servers: clusters.map(serverOf) };
  } catch (cause) {
    const written = Servers.safeParse(yamlOf(await readConfigurationText(file))).data;
    if (written === undefined || !(cause instanceof Misconfigured)) throw cause;
    return { settings: [], servers: written.clusters.map(serverOf) };
  }
}

/** The name of the cluster with this API server, as a poolkeeper.yaml has it; undefined: none is known.
 *  @param named what `--config` says */
export async function nameOfServer(
  server: string,
  named: string | undefined,
  surroundings: Pick<Surroundings, 'environment' | 'folders'>,
): Promise<string | undefined> {
  try {
    const { servers } = await configuredServers(await configurationFileIfAny(named, surroundings));
    return servers.find((each) => isSameServer(each.server, server))?.name;
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    return undefined;
  }
}

function serverOf({ name, api: { server } }: z.infer<typeof Servers>['clusters'][number]): NamedServer {
  return { name, server };
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
