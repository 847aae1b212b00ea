import { isTemplateName } from '../../core/machine-config/cause-of-render.ts';
import type { MachineConfigContent } from '../../core/machine-config/machine-config.ts';
import { type PendingChange, type PendingReads, pendingChange } from '../../core/machine-config/pending-change.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { isEarlierSecond } from '../../core/text/instant.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** MachineConfigs of a pool that are read because they may have changed, at most. */
const suspectsAtMost = 12;

/** By what MachineConfigs are read. */
export interface MachineConfigPorts {
  readonly pools: Pick<ClusterPorts['pools'], 'readMachineConfigs'>;
  readonly renderings: Pick<ClusterPorts['renderings'], 'readContents'>;
}

/** The change that the nodes of one pool wait for or roll out. Throws Transient. */
export async function readRenderedChange(
  pool: Pool,
  known: Pick<PendingReads, 'managed' | 'circumstances' | 'others'>,
  cluster: MachineConfigPorts,
): Promise<PendingChange> {
  const [rendered, suspects] = await readRendered(pool, known.others.names, cluster);
  return pendingChange({ pool, rendered, suspects, ...known });
}

async function readRendered(
  pool: Pool,
  otherNames: readonly string[],
  cluster: MachineConfigPorts,
): Promise<readonly [PendingReads['rendered'], readonly MachineConfigContent[]]> {
  const { renderings } = cluster;
  try {
    const contents = await renderings.readContents([pool.current.name, pool.target.name, ...otherNames]);
    const [before, after] = [pool.current, pool.target].map(({ name }) => byName(contents, name));
    if (before === undefined || after === undefined) {
      const missing = before === undefined ? pool.current.name : pool.target.name;
      return [{ unread: `${missing} does not exist` }, []];
    }
    const others = otherNames.flatMap((name) => byName(contents, name) ?? []);
    return [{ before, after, others }, await renderings.readContents(await suspectNames(pool, before, cluster))];
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    return [{ unread: 'Poolkeeper may not read MachineConfigs' }, []];
  }
}

/** Names of the MachineConfigs written since the nodes' config was rendered, from metadata alone. People's own come
 *  before those that the MCO generates: when it regenerates all of those, the release explains why. */
async function suspectNames(
  pool: Pool,
  before: MachineConfigContent,
  { pools }: MachineConfigPorts,
): Promise<readonly string[]> {
  const { items, unreadable } = await pools.readMachineConfigs(pool.target.sources);
  const since = before.createdAt;
  const changed = items
    .filter(({ name, changedAt }) => {
      const isOld = changedAt !== undefined && since !== undefined && isEarlierSecond(changedAt, since);
      return !isOld || !pool.current.sources.includes(name);
    })
    .map(({ name }) => name);
  const names = [...changed, ...unreadable.map(({ name }) => name)];
  const made = names.filter(isTemplateName);
  return [...names.filter((name) => !made.includes(name)), ...made].slice(0, suspectsAtMost);
}
