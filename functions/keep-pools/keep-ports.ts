import type { Configuration } from '../core/configuration/configuration.ts';
import type { ReadManifests } from '../core/routing/manifest-file.ts';
import type { EvaluateCel } from '../core/sequences/judge-gate.ts';
import type { ArgoCd } from '../ports/argocd.ts';
import type { CalendarServers } from '../ports/calendars.ts';
import type { HealthChecks, ObjectReader, Pools, Renderings } from '../ports/cluster.ts';
import type { EventBus } from '../ports/messages.ts';
import type { NodeTurnPorts, RuleCalls, RuleFunctions } from '../ports/node-turns.ts';
import type { AlertQueue, RequestQueue, WorkQueue } from '../ports/queues.ts';
import type { Repositories, RepositoryNames } from '../ports/repositories.ts';
import type { ObjectWriter, SequenceRecords } from '../ports/sequences.ts';
import type {
  Approvals,
  AskedRequests,
  BudgetPlaces,
  Checkpoints,
  FleetLocks,
  Incidents,
  KeptCalendars,
  NodeRollouts,
  PushOutcomes,
  Races,
  RelayedPushes,
  Routes,
  RuleCallbacks,
  RunViews,
  SequenceRequests,
  SequenceViews,
  Timeline,
  Views,
} from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Tickets } from '../ports/tickets.ts';
import type { Clock, Sleep, YieldToEventLoop } from '../ports/time.ts';

/** The API server of one cluster, by what is read and written there. */
export interface ClusterPorts {
  readonly pools: Pools;
  readonly reader: ObjectReader;
  readonly renderings: Renderings;
  /** Undefined: MachineHealthChecks are left alone. */
  readonly healthChecks?: HealthChecks | undefined;
  /** Undefined: no run takes nodes here. */
  readonly nodeTurns?: NodeTurnPorts | undefined;
  /** Undefined: no sequence has its record here. */
  readonly sequenceRecords?: SequenceRecords | undefined;
  /** Undefined: no sequence applies anything here. */
  readonly writer?: ObjectWriter | undefined;
}

/** Everything keep-pools needs. Clusters and Argo CD instances are connected when first asked for. */
export interface KeepPorts {
  readonly configuration: Configuration;
  /** Told from other installations that may keep sequences on the same cluster; undefined: there is no other. */
  readonly installation?: string | undefined;
  /** The cluster of this name in the configuration. Throws Transient when its token cannot be fetched. */
  readonly cluster: (name: string) => Promise<ClusterPorts>;
  /** The Argo CD instance of this name in the configuration. Throws Transient in the same case. */
  readonly argocd: (name: string) => Promise<ArgoCd>;
  readonly approvals: Approvals;
  readonly tickets: Tickets;
  /** Undefined: rules of type http tell nobody from here. */
  readonly ruleCalls?: RuleCalls | undefined;
  /** Undefined: rules of type http wait for no callback here. */
  readonly ruleCallbacks?: RuleCallbacks | undefined;
  /** Undefined: rules of type lambda are refused. */
  readonly ruleFunctions?: RuleFunctions | undefined;
  readonly calendarServers: CalendarServers;
  readonly keptCalendars: KeptCalendars;
  /** Undefined: no gate of a sequence has an expression. */
  readonly evaluateCel?: EvaluateCel | undefined;
  readonly timeline: Timeline;
  readonly races: Races;
  readonly views: Views;
  /** Undefined: no page shows sequences. */
  readonly sequenceViews?: SequenceViews | undefined;
  /** Undefined: no page shows runs. */
  readonly runViews?: RunViews | undefined;
  /** Undefined: nobody asks anything of sequences but on their clusters. */
  readonly sequenceRequests?: Pick<SequenceRequests, 'list'> | undefined;
  /** Undefined: nobody asks anything by commands in Slack. */
  readonly askedRequests?: AskedRequests | undefined;
  /** Takes what came of them. */
  readonly requests?: RequestQueue | undefined;
  readonly routes: Routes;
  /** Reads changed files and parses them as manifests; undefined: not configured, so what an Application manages
   *  decides. */
  readonly changes?: { readonly repositories: Repositories; readonly manifestReader: () => ReadManifests } | undefined;
  /** What the repositories that are followed are called now; undefined: nobody is asked. */
  readonly repositoryNames?: RepositoryNames | undefined;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly nodeRollouts: NodeRollouts;
  readonly budgetPlaces: BudgetPlaces;
  /** Undefined: nobody looks whether machines outside OpenShift come back. */
  readonly fleetLocks?: FleetLocks | undefined;
  /** Stores what each push led to; undefined: no Argo CD gets its pushes through Poolkeeper. */
  readonly outcomes?: PushOutcomes | undefined;
  /** What the relay has given to Argo CD; undefined: there is none. */
  readonly relayed?: RelayedPushes | undefined;
  readonly work: WorkQueue;
  readonly alerts: AlertQueue;
  readonly bus: EventBus;
  readonly clock: Clock;
  /** How many times as fast as time the clock runs, as in the demo. Absent: once. */
  readonly clockSpeed?: number | undefined;
  /** For time limits: keeps no process alive. */
  readonly sleep: Sleep;
  /** Before another attempt. */
  readonly wait: Sleep;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
