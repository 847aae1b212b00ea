import type { Application } from '../../functions/core/argocd/application.ts';
import type { ControllerPod } from '../../functions/core/argocd/controller-pod.ts';
import type { AppProject } from '../../functions/core/guard/app-project.ts';
import { refreshAnnotation } from '../../functions/core/guard/refresh.ts';
import type { SetRoute } from '../../functions/core/routing/route.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { ArgoCd } from '../../functions/ports/argocd.ts';
import { anAppProject } from './builders.ts';
import { createFaults, type Faults } from './faults.ts';

const invalid = 'cannot be parsed at spec.source';

/** One Argo CD instance in memory; the test plays its controller. */
export interface FakeArgoCd extends ArgoCd {
  /** Creates or replaces. */
  put(application: Application): Application;
  /** Beside the one of its name, in a namespace of its own; what goes by the name alone means that one. */
  putNamesake(application: Application): void;
  change(name: string, change: Partial<Application>): Application;
  remove(name: string): void;
  setApplicationSets(sets: readonly SetRoute[]): void;
  get(name: string): Application;
  /** Every Application that is there. */
  all(): readonly Application[];
  /** Creates or replaces; every instance has `default`. */
  putProject(project: AppProject): AppProject;
  project(name?: string): AppProject;
  /** A field of it becomes invalid, until `mend`. It need not exist before. */
  spoil(name: string, namespace?: string): void;
  mend(name: string): void;
  /** Our rights in a namespace are gone, as when it is deleted. */
  forbid(namespace: string): () => void;
  setControllerNodes(names: readonly string[]): void;
  setControllerPods(pods: readonly ControllerPod[]): void;
}

export function fakeArgoCd(options: { readonly name?: string; readonly faults?: Faults } = {}): FakeArgoCd {
  const { name: instance = 'hub', faults = createFaults() } = options;
  const applications = new Map<string, Application>();
  const spoilt = new Map<string, string>();
  const forbidden = new Set<string>();
  let controllerNodes: readonly string[] = [];
  let controllerPods: readonly ControllerPod[] = [];
  let sets: readonly SetRoute[] = [];

  const projects = new Map<string, AppProject>();
  let versions = 0;

  function putProject(project: AppProject): AppProject {
    versions += 1;
    const stored = { ...project, argocd: instance, resourceVersion: `p${versions}` };
    projects.set(stored.name, stored);
    return stored;
  }
  putProject(anAppProject());

  function project(name = 'default'): AppProject {
    const found = projects.get(name);
    if (found === undefined) throw new Error(`no project ${name} in the fake`);
    return found;
  }

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
    putNamesake: (application) => {
      applications.set(`${application.namespace}/${application.name}`, { ...application, argocd: instance });
    },
    all: () => [...applications.values()],
    change: (name, change) => put({ ...get(name), ...change }),
    remove: (name) => {
      applications.delete(name);
    },
    get,
    putProject,
    project,
    setApplicationSets: (all) => {
      sets = all;
    },
    setControllerNodes: (names) => {
      controllerNodes = names;
    },
    setControllerPods: (pods) => {
      controllerPods = pods;
    },
    spoil: (name, namespace = applications.get(name)?.namespace ?? 'openshift-gitops') => {
      spoilt.set(name, namespace);
    },
    mend: (name) => {
      spoilt.delete(name);
    },
    forbid: (namespace) => {
      forbidden.add(namespace);
      return () => forbidden.delete(namespace);
    },
    listApplications: () =>
      faults.run('argocd.list', () => ({
        items: [...applications.values()].filter(
          ({ name, namespace }) => !spoilt.has(name) && !forbidden.has(namespace),
        ),
        unreadable: [
          ...[...spoilt].map(([name, namespace]) => ({ kind: 'Application', namespace, name, why: invalid })),
          ...[...forbidden].map((namespace) => ({
            kind: 'Application',
            namespace,
            name: '*',
            why: 'cannot be listed: 403',
          })),
        ],
      })),
    countApplications: () =>
      faults.run('argocd.count', () => {
        const places = new Map([...applications].map(([place, { namespace }]) => [place, namespace]));
        for (const [name, namespace] of spoilt) places.set(name, namespace);
        const byNamespace = Map.groupBy(places.values(), (namespace) => namespace);
        const known = [...byNamespace].map(([namespace, all]) => [namespace, all.length] as const);
        return new Map([...known, ...[...forbidden].map((each) => [each, undefined] as const)]);
      }),
    readApplication: ({ namespace, name }) =>
      faults.run('argocd.read', () => {
        if (forbidden.has(namespace)) throw new Transient(`${namespace}: 403`, { kind: 'forbidden' });
        if (spoilt.get(name) === namespace) throw new Transient(`Application: ${invalid}`, { kind: 'invalid' });
        return [applications.get(name), applications.get(`${namespace}/${name}`)].find(
          (each) => each?.namespace === namespace,
        );
      }),
    listApplicationSets: () => faults.run('argocd.listSets', () => ({ items: sets, unreadable: [] })),
    retrySync: ({ name }, startedAt) =>
      faults.run('argocd.startAgain', () => {
        const { operation, operationQueued } = get(name);
        if (operationQueued || operation?.startedAt !== startedAt) return 'changed' as const;
        put({ ...get(name), operationQueued: true });
        return 'started' as const;
      }),
    listProjects: () => faults.run('argocd.projects', () => ({ items: [...projects.values()], unreadable: [] })),
    readProject: (name) => faults.run('argocd.project', () => projects.get(name)),
    writeGuards: ({ name, resourceVersion }, { windows, guards }) =>
      faults.run('argocd.writeGuards', () => {
        const stored = projects.get(name);
        if (stored?.resourceVersion !== resourceVersion)
          throw new Transient(`AppProject ${name} has changed`, { kind: 'conflict' });
        return putProject({ ...stored, windows, record: { kind: 'guards', guards }, windowsBy: 'poolkeeper' });
      }),
    refresh: ({ name }) =>
      faults.run('argocd.refresh', () => {
        put({ ...get(name), annotations: { ...get(name).annotations, [refreshAnnotation]: 'normal' } });
      }),
    controllerNodes: () => faults.run('argocd.controllerNodes', () => controllerNodes),
    controllerPods: () => faults.run('argocd.controllerPods', () => controllerPods),
  };
}
