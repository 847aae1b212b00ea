import type { Application } from '../../functions/core/argocd/application.ts';
import type { SetRoute } from '../../functions/core/routing/route.ts';
import type { ArgoCd } from '../../functions/ports/argocd.ts';
import { createFaults, type Faults } from './faults.ts';

/** One Argo CD instance in memory; the test plays its controller. */
export interface FakeArgoCd extends ArgoCd {
  /** Creates or replaces. */
  put(application: Application): Application;
  change(name: string, change: Partial<Application>): Application;
  remove(name: string): void;
  setApplicationSets(sets: readonly SetRoute[]): void;
  get(name: string): Application;
  setControllerNodes(names: readonly string[]): void;
}

export function fakeArgoCd(options: { readonly name?: string; readonly faults?: Faults } = {}): FakeArgoCd {
  const { name: instance = 'hub', faults = createFaults() } = options;
  const applications = new Map<string, Application>();
  let controllerNodes: readonly string[] = [];
  let sets: readonly SetRoute[] = [];

  function get(name: string): Application {
    const application = applications.get(name);
    if (application === undefined) throw new Error(`no application ${name} in the fake`);
    return application;
  }

  function put(application: Application): Application {
    const stored = { ...application, argocd: instance };
    applications.set(stored.name, stored);
    return stored;
  }

  return {
    name: instance,
    put,
    change: (name, change) => put({ ...get(name), ...change }),
    remove: (name) => {
      applications.delete(name);
    },
    get,
    setApplicationSets: (all) => {
      sets = all;
    },
    setControllerNodes: (names) => {
      controllerNodes = names;
    },
    listApplications: () => faults.run('argocd.list', () => [...applications.values()]),
    countApplications: () => faults.run('argocd.count', () => applications.size),
    readApplication: ({ namespace, name }) =>
      faults.run('argocd.read', () => {
        const found = applications.get(name);
        return found?.namespace === namespace ? found : undefined;
      }),
    listApplicationSets: () => faults.run('argocd.listSets', () => sets),
    retrySync: ({ name }, startedAt) =>
      faults.run('argocd.startAgain', () => {
        const { operation, operationQueued } = get(name);
        if (operationQueued || operation?.startedAt !== startedAt) return 'changed' as const;
        put({ ...get(name), operationQueued: true });
        return 'started' as const;
      }),
    controllerNodes: () => faults.run('argocd.controllerNodes', () => controllerNodes),
  };
}
