import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { isSameKey } from '../../../functions/core/alerts/inhibit.ts';
import { nothingJoint } from '../../../functions/core/alerts/joint.ts';
import { unpaced } from '../../../functions/core/alerts/pace.ts';
import { noPlaces } from '../../../functions/core/budget/place.ts';
import { keyText } from '../../../functions/core/findings/trouble.ts';
import type { ClusterRollouts } from '../../../functions/core/node-rollouts/follow.ts';
import type { Race } from '../../../functions/core/races/race.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { Checkpoint, JointMessageLists, Paces } from '../../../functions/ports/tables.ts';

/** The tables of keep-pools for the duration of one replay. One pass at a time: no lock is ever lost. */
export interface MemoryTables
  extends Pick<
    KeepPorts,
    | 'approvals'
    | 'incidents'
    | 'checkpoints'
    | 'nodeRollouts'
    | 'budgetPlaces'
    | 'races'
    | 'views'
    | 'routes'
    | 'timeline'
  > {
  readonly paces: Paces;
  readonly jointMessages: JointMessageLists;
  /** Incidents that were alerted, in the order of opening. */
  alerted(): readonly Incident[];
}

export function memoryTables(): MemoryTables {
  const incidents = new Map<string, Incident>();
  const checkpoints = new Map<string, Checkpoint>();
  const rollouts = new Map<string, ClusterRollouts>();
  const races: Race[] = [];
  let numbers = 0;
  return {
    alerted: () => [...incidents.values()].filter(({ number }) => number > 0).toSorted((a, b) => a.number - b.number),
    approvals: { list: async () => [], save: async () => true },
    incidents: {
      load: async (cluster) => [...incidents.values()].filter(({ key }) => key.cluster === cluster),
      loadOne: async (key) => [...incidents.values()].find((incident) => isSameKey(incident.key, key)),
      save: async (incident) => advance(incidents, keyText(incident.key), incident),
      async nextNumber() {
        numbers += 1;
        return numbers;
      },
      list: async () => [...incidents.values()],
    },
    checkpoints: {
      load: async (cluster) => checkpoints.get(cluster),
      save: async (memory) => advance(checkpoints, memory.cluster, memory),
    },
    nodeRollouts: {
      load: async (cluster) => rollouts.get(cluster),
      save: async (own) => advance(rollouts, own.cluster, own),
      keep: async () => {},
      ended: async () => ({ rollouts: [] }),
    },
    // Nothing is sent to a channel with a limit.
    paces: { load: async () => unpaced, save: async () => true },
    jointMessages: { load: async () => nothingJoint, save: async () => true },
    // One cluster needs no budget.
    budgetPlaces: { load: async () => noPlaces, save: async () => true },
    races: {
      load: async () => races,
      find: async () => races,
      async save(race) {
        races.push(race);
      },
    },
    views: { save: async () => {}, load: async () => undefined, list: async () => [] },
    routes: { load: async () => undefined, last: () => undefined, save: async () => true },
    timeline: { append: async () => {}, latest: async () => [] },
  };
}

function advance<T extends { readonly version: number }>(items: Map<string, T>, key: string, item: T): boolean {
  items.set(key, { ...item, version: item.version + 1 });
  return true;
}
