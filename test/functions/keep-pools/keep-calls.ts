import type { ClusterPorts, KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import type { CallsOf } from '../failing-calls.ts';

/** What calls nothing outside. */
type NoPort =
  | 'changes'
  | 'clock'
  | 'clockSpeed'
  | 'configuration'
  | 'evaluateCel'
  | 'installation'
  | 'logger'
  | 'metrics'
  | 'repositoryNames'
  | 'sleep'
  | 'wait'
  | 'yieldToEventLoop';

type Called = Omit<KeepPorts, NoPort | 'cluster' | 'argocd'> & {
  readonly cluster: ClusterPorts;
  readonly argocd: ArgoCd;
};

/** Every call of every port, with what makes it. */
export const calls = {
  alerts: { send: 'tick' },
  approvals: { list: 'tick', save: 'people' },
  argocd: {
    name: 'nobody',
    controllerNodes: 'tick',
    controllerPods: 'failed syncs',
    countApplications: 'pushes',
    listApplications: 'tick',
    listApplicationSets: 'tick',
    listProjects: 'guards',
    readApplication: 'events between sweeps',
    readProject: 'conflicts',
    refresh: 'guards',
    retrySync: 'refused syncs',
    writeGuards: 'guards',
  },
  askedRequests: { load: 'people', save: 'people' },
  budgetPlaces: { load: 'tick', save: 'tick' },
  bus: { publish: 'tick' },
  calendarServers: { read: 'old calendars' },
  checkpoints: { load: 'tick', save: 'tick' },
  cluster: {
    healthChecks: { listHealthChecks: 'tick', listMachines: 'tick', patchHealthCheck: 'tick' },
    nodeTurns: {
      canary: { changePool: 'runs', listFreshPools: 'runs', readFreshPool: 'runs' },
      jobs: { checkJob: 'people', createJob: 'runs' },
      nodes: { changeNode: 'runs', listReadyNodes: 'runs', readReadyNode: 'runs' },
      records: { load: 'runs', save: 'runs' },
    },
    pools: {
      listNodes: 'tick',
      listPools: 'tick',
      patchPool: 'tick',
      readMachineConfigs: 'tick',
      readPool: 'conflicts',
      recordEvent: 'tick',
    },
    reader: { read: 'tick' },
    renderings: {
      readChoosers: 'other kinds',
      readCircumstances: 'pending changes',
      readContents: 'pending changes',
      readImages: 'tick',
      readRenderSources: 'pending changes',
    },
    sequenceRecords: { load: 'sequences', remove: 'removed sequences', save: 'sequences' },
    writer: {
      apply: 'sequences',
      create: 'Jobs of sequences',
      patch: 'held Applications',
      remove: 'aborted sequences',
    },
  },
  fleetLocks: { load: 'machines outside', save: 'machines outside' },
  incidents: { list: 'tick', load: 'tick', loadOne: 'people', nextNumber: 'tick', save: 'tick' },
  keptCalendars: { load: 'tick', save: 'old calendars' },
  nodeRollouts: { ended: 'people', keep: 'rollouts', load: 'tick', save: 'rollouts' },
  outcomes: { load: 'relays', save: 'pushes' },
  races: { find: 'people', load: 'tick', save: 'tick' },
  relayed: { acceptedAsOf: 'pushes that are delivered again' },
  requests: { send: 'people' },
  routes: { last: 'memory', load: 'tick', save: 'tick' },
  ruleCallbacks: { load: 'runs', newToken: 'nobody', save: 'runs' },
  ruleCalls: { post: 'runs' },
  ruleFunctions: { invoke: 'runs' },
  runViews: { list: 'people', save: 'runs' },
  sequenceRequests: { list: 'sequences' },
  sequenceViews: { list: 'people', save: 'sequences' },
  tickets: { ask: 'tick' },
  timeline: { append: 'tick', latest: 'people' },
  views: { list: 'tick', load: 'blind passes', save: 'tick' },
  work: { send: 'tick' },
} satisfies CallsOf<Called>;

/** Connecting, whose name is that of what is connected to. */
export const connecting = ['argocd', 'cluster'];
