import type { Incident } from '../../functions/core/alerts/incident.ts';
import { type JointMessages, nothingJoint } from '../../functions/core/alerts/joint.ts';
import { type Pace, unpaced } from '../../functions/core/alerts/pace.ts';
import { noPlaces, type Places } from '../../functions/core/budget/place.ts';
import { keyText } from '../../functions/core/findings/trouble.ts';
import { type Locks, noLocks } from '../../functions/core/fleet-lock/locks.ts';
import type { Approval } from '../../functions/core/gates/approvals.ts';
import type { ClusterRollouts } from '../../functions/core/node-rollouts/follow.ts';
import { foundAmong, wantedOf } from '../../functions/core/node-rollouts/rollout-query.ts';
import type { RuleCallback } from '../../functions/core/node-turns/rule-callback.ts';
import type { ShownRun } from '../../functions/core/node-turns/shown-run.ts';
import type { NodeRollout } from '../../functions/core/openshift/node-rollout.ts';
import { joinRaces, type Race, raceKeyText } from '../../functions/core/races/race.ts';
import type { AskedRequest } from '../../functions/core/requests/asked-request.ts';
import type { ShownSequence } from '../../functions/core/sequences/shown-sequence.ts';
import type { AskedOfSequence } from '../../functions/core/sequences/steering.ts';
import type { ClusterView, TimelineEntry } from '../../functions/core/timeline/view.ts';
import type { KeptCalendar } from '../../functions/core/windows/kept-calendars.ts';
import type {
  Approvals,
  AskedRequests,
  BudgetPlaces,
  Checkpoint,
  Checkpoints,
  FleetLocks,
  Incidents,
  JointMessageLists,
  KeptCalendars,
  NodeRollouts,
  Paces,
  Races,
  Routes,
  RuleCallbacks,
  RunViews,
  SequenceRequests,
  SequenceViews,
  StoredRoutes,
  Timeline,
  Views,
} from '../../functions/ports/tables.ts';
import { createFaults, type Faults } from './faults.ts';

export interface FakeTables {
  readonly approvals: Approvals;
  readonly timeline: Timeline & { all(): readonly TimelineEntry[] };
  readonly races: Races & { all(): readonly Race[] };
  readonly views: Views;
  readonly sequenceViews: SequenceViews;
  readonly runViews: RunViews;
  readonly ruleCallbacks: RuleCallbacks;
  readonly sequenceRequests: SequenceRequests;
  readonly askedRequests: AskedRequests;
  readonly routes: Routes;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents & { all(): readonly Incident[] };
  readonly budgetPlaces: BudgetPlaces;
  readonly fleetLocks: FleetLocks;
  readonly paces: Paces;
  readonly keptCalendars: KeptCalendars;
  readonly jointMessages: JointMessageLists;
  readonly nodeRollouts: NodeRollouts & { endedRollouts(): readonly NodeRollout[] };
  /** As if the table had been lost. */
  wipe(): void;
}

/** Races that are loaded without being named, as by the real one. */
const newestLoaded = 200;

/** The table in memory, with the same optimistic locks. */
export function fakeTables(faults: Faults = createFaults()): FakeTables {
  const approvals = new Map<string, Approval>();
  const timeline = new Map<string, TimelineEntry>();
  const races = new Map<string, Race>();
  const views = new Map<string, ClusterView>();
  const sequences = new Map<string, ShownSequence>();
  const runs = new Map<string, ShownRun>();
  const asked = new Map<string, AskedOfSequence>();
  const commands = new Map<string, AskedRequest>();
  const checkpoints = new Map<string, Checkpoint>();
  const routes = new Map<string, StoredRoutes>();
  const incidents = new Map<string, Incident>();
  const callbacks = new Map<string, RuleCallback>();
  let tokens = 0;
  const rollouts = new Map<string, ClusterRollouts>();
  const endedRollouts = new Map<string, NodeRollout>();
  const places = new Map<string, Places>();
  const locks = new Map<string, Locks>();
  const paces = new Map<string, Pace>();
  const calendars = new Map<string, KeptCalendar>();
  const joint = new Map<string, JointMessages>();
  let number = 0;

  /** Of one instant the later told comes first: reversed before the sort, which keeps the order of equals. */
  const newestEntries = () => [...timeline.values()].reverse().sort((a, b) => newestFirst(a.at, b.at));
  const newestStories = () => [...endedRollouts.values()].sort((a, b) => newestFirst(a.begun.at, b.begun.at));
  const newestRaces = () => [...races.values()].sort((a, b) => newestFirst(a.since, b.since));

  return {
    approvals: {
      list: (cluster, pool) =>
        faults.run('approvals.list', () =>
          [...approvals.values()].filter((each) => each.cluster === cluster && each.pool === pool),
        ),
      save: (approval) =>
        faults.run('approvals.save', () => {
          const key = `${approval.cluster}/${approval.pool}/${approval.config}/${approval.who}`;
          const stored = approvals.get(key);
          if (stored !== undefined && isNewer(stored, approval)) return false;
          approvals.set(key, approval);
          return true;
        }),
    },
    timeline: {
      all: newestEntries,
      append: (entries) =>
        faults.run('timeline.append', () => {
          for (const entry of entries) if (!timeline.has(entry.id)) timeline.set(entry.id, entry);
        }),
      latest: (limit) => faults.run('timeline.latest', () => newestEntries().slice(0, limit)),
    },
    races: {
      all: newestRaces,
      load: (cluster, named = []) =>
        faults.run('races.load', () => {
          const own = newestRaces().filter((race) => race.cluster === cluster);
          const asked = new Set(named.map(raceKeyText));
          return own.filter((race, index) => index < newestLoaded || asked.has(raceKeyText(race)));
        }),
      find: (cluster, named) =>
        faults.run('races.find', () => {
          const asked = new Set(named.map(raceKeyText));
          return newestRaces().filter((race) => race.cluster === cluster && asked.has(raceKeyText(race)));
        }),
      save: (race) =>
        faults.run('races.save', () => {
          const key = [race.cluster, race.pool, race.hold, race.since].join('|');
          const known = races.get(key);
          races.set(key, known === undefined ? race : joinRaces(known, race));
        }),
    },
    views: {
      save: (view) =>
        faults.run('views.save', () => {
          const known = views.get(view.cluster);
          if (known === undefined || known.readAt === '' || Date.parse(known.readAt) <= Date.parse(view.readAt))
            views.set(view.cluster, view);
        }),
      load: (cluster) => faults.run('views.load', () => views.get(cluster)),
      list: () => faults.run('views.list', () => [...views.values()].sort((a, b) => (a.cluster < b.cluster ? -1 : 1))),
    },
    sequenceViews: {
      save: (view) =>
        faults.run('sequenceViews.save', () => {
          const known = sequences.get(view.sequence);
          if (known === undefined || known.readAt <= view.readAt) sequences.set(view.sequence, view);
        }),
      list: () =>
        faults.run('sequenceViews.list', () =>
          [...sequences.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1)),
        ),
    },
    runViews: {
      save: (view) =>
        faults.run('runViews.save', () => {
          const known = runs.get(view.run);
          if (known === undefined || known.readAt <= view.readAt) runs.set(view.run, view);
        }),
      list: () => faults.run('runViews.list', () => [...runs.values()].sort((a, b) => (a.run < b.run ? -1 : 1))),
    },
    ruleCallbacks: {
      newToken: () => `token-${++tokens}`,
      load: (id) => faults.run('ruleCallbacks.load', () => callbacks.get(id)),
      save: (callback) => faults.run('ruleCallbacks.save', () => advance(callbacks, callback.id, callback)),
    },
    sequenceRequests: {
      save: (request) => faults.run('sequenceRequests.save', () => void asked.set(request.id, request)),
      list: (sequence) =>
        faults.run('sequenceRequests.list', () => [...asked.values()].filter((each) => each.sequence === sequence)),
    },
    askedRequests: {
      load: (id) => faults.run('askedRequests.load', () => commands.get(id)),
      save: (request) => faults.run('askedRequests.save', () => advance(commands, request.id, request)),
    },
    checkpoints: {
      load: (cluster) => faults.run('memories.load', () => checkpoints.get(cluster)),
      save: (memory) => faults.run('memories.save', () => advance(checkpoints, memory.cluster, memory)),
    },
    budgetPlaces: {
      load: () => faults.run('places.load', () => places.get('all') ?? noPlaces),
      save: (taken) => faults.run('places.save', () => advance(places, 'all', taken)),
    },
    fleetLocks: {
      load: () => faults.run('locks.load', () => locks.get('all') ?? noLocks),
      save: (taken) => faults.run('locks.save', () => advance(locks, 'all', taken)),
    },
    paces: {
      load: (channel) => faults.run('paces.load', () => paces.get(channel) ?? unpaced),
      save: (channel, pace) => faults.run('paces.save', () => advance(paces, channel, pace)),
    },
    keptCalendars: {
      load: (id) => faults.run('keptCalendars.load', () => calendars.get(id)),
      save: (kept) =>
        faults.run('keptCalendars.save', () => {
          const known = calendars.get(kept.id);
          if (known === undefined || known.triedAt <= kept.triedAt) calendars.set(kept.id, kept);
        }),
    },
    jointMessages: {
      load: (target) => faults.run('joint.load', () => joint.get(target) ?? nothingJoint),
      save: (target, told) => faults.run('joint.save', () => advance(joint, target, told)),
    },
    routes: {
      load: (argocd) => faults.run('routes.load', () => routes.get(argocd)),
      last: (argocd) => routes.get(argocd),
      save: (stored) => faults.run('routes.save', () => advance(routes, stored.argocd, stored)),
    },
    incidents: {
      all: () => [...incidents.values()],
      load: (cluster) =>
        faults.run('incidents.load', () => [...incidents.values()].filter(({ key }) => key.cluster === cluster)),
      loadOne: (key) => faults.run('incidents.loadOne', () => incidents.get(keyText(key))),
      save: (incident) => faults.run('incidents.save', () => advance(incidents, keyText(incident.key), incident)),
      nextNumber: () => faults.run('incidents.nextNumber', () => ++number),
      list: () => faults.run('incidents.list', () => listed([...incidents.values()])),
    },
    nodeRollouts: {
      endedRollouts: newestStories,
      load: (cluster) => faults.run('nodeRollouts.load', () => rollouts.get(cluster)),
      save: (stored) => faults.run('nodeRollouts.save', () => advance(rollouts, stored.cluster, stored)),
      keep: (ended) =>
        faults.run('nodeRollouts.keep', () => {
          for (const rollout of ended) {
            const key = [rollout.begun.at, rollout.cluster, rollout.node, rollout.to].join('#');
            if (!endedRollouts.has(key)) endedRollouts.set(key, rollout);
          }
        }),
      ended: (query) =>
        faults.run('nodeRollouts.ended', () => foundAmong(newestStories().slice(0, wantedOf(query)), query)),
    },
    wipe() {
      for (const map of [
        approvals,
        timeline,
        races,
        views,
        sequences,
        asked,
        callbacks,
        commands,
        checkpoints,
        routes,
        incidents,
        rollouts,
        endedRollouts,
        places,
        locks,
        paces,
        calendars,
        joint,
      ])
        map.clear();
      number = 0;
    },
  };
}

/** Of one instant, a revocation is the later one. */
function isNewer(stored: Approval, given: Approval): boolean {
  return stored.at > given.at || (stored.at === given.at && stored.verb === 'revoke' && given.verb === 'approve');
}

/** Writes version + 1 when the stored version is the one that was read. */
function advance<T extends { readonly version: number }>(items: Map<string, T>, key: string, item: T): boolean {
  if ((items.get(key)?.version ?? 0) !== item.version) return false;
  items.set(key, { ...item, version: item.version + 1 });
  return true;
}

/** Not `ok`, or ended at some time: what people may want to see. */
function listed(incidents: readonly Incident[]): readonly Incident[] {
  return incidents
    .filter(({ state, number }) => state !== 'ok' || number > 0)
    .sort((a, b) => newestFirst(a.openedAt ?? a.since ?? '', b.openedAt ?? b.since ?? ''));
}

function newestFirst(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}
