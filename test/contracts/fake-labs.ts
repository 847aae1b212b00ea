import { readRecord } from '../../functions/core/openshift/pool-record.ts';
import {
  aMachineConfig,
  aNode,
  anAppProject,
  aPool,
  fakeArgoCd,
  fakeClock,
  fakePools,
  fakeTables,
  kubernetesTime,
} from '../fakes/index.ts';
import type { ArgoCdLab } from './argocd.contract.ts';
import type { PoolsLab } from './pools.contract.ts';
import type { TablesLab } from './tables.contract.ts';

const noPool = { paused: false, pausedBy: undefined, conditions: [], labels: {}, generation: 1, observedGeneration: 0 };

export async function fakePoolsLab(): Promise<PoolsLab> {
  const clock = fakeClock();
  const pools = fakePools({ clock: clock.now });
  let uids = 0;

  return {
    pools,
    nameOf: (base) => base,
    async createPool({ name, paused = false, maxUnavailable, annotations = {}, ...draft }) {
      const ours = Object.entries(annotations).filter(([key]) => key.startsWith('poolkeeper.dev/'));
      pools.put({
        ...aPool(noPool),
        uid: `uid-${++uids}`,
        name,
        paused,
        pausedBy: paused ? { manager: 'creator', at: kubernetesTime(clock.now()) } : undefined,
        maxUnavailable: maxUnavailable?.toString(),
        annotations: Object.fromEntries(ours),
        ...draft,
      });
    },
    async editPool(name, manager, { paused, maxUnavailable, annotations = {} }) {
      const record = annotations['poolkeeper.dev/holds'];
      pools.change(name, manager, {
        ...(paused === undefined ? {} : { paused: paused ?? false }),
        ...(maxUnavailable === undefined ? {} : { maxUnavailable: String(maxUnavailable) }),
        ...(record === undefined ? {} : { record: readRecord(record) }),
      });
    },
    async reportPool(name, report) {
      pools.change(name, 'machine-config-controller', report);
    },
    async deletePool(name) {
      pools.remove(name);
    },
    async createNode(node) {
      pools.putNode(aNode({ desiredDrain: '', lastAppliedDrain: '', ...node }));
    },
    async targetNode(name, config) {
      pools.changeNode(name, { desiredConfig: config, targetedAt: kubernetesTime(clock.now()) });
    },
    async createMachineConfig(name, labels) {
      pools.putMachineConfig(aMachineConfig({ name, labels }));
    },
    async eventsOf({ uid }) {
      return pools.announced.filter((each) => each.uid === uid).map(({ event }) => event.message);
    },
    async close() {},
  };
}

export async function fakeArgoCdLab(): Promise<ArgoCdLab> {
  const argocd = fakeArgoCd();
  const elsewhere = new Set<string>();
  const nodes = new Set<string>();

  return {
    argocd,
    namespaces: ['argo-a', 'argo-b'],
    otherNamespace: 'argo-other',
    nameOf: (base) => base,
    async createApplication(application) {
      if (application.namespace === 'argo-other') elsewhere.add(application.name);
      else argocd.put(application);
    },
    async createProject(name, windows) {
      argocd.putProject(anAppProject({ name, windows }));
    },
    async deleteApplication({ name }) {
      argocd.remove(name);
    },
    async createPod({ app, node }) {
      if (app.endsWith('-application-controller')) nodes.add(node);
      argocd.setControllerNodes([...nodes]);
    },
    async close() {},
  };
}

export async function fakeTablesLab(): Promise<TablesLab> {
  return { ...fakeTables(), clock: fakeClock(), close: async () => {} };
}
