import type { Application } from '../../../functions/core/argocd/application.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Guard } from '../../../functions/core/guard/guard-record.ts';
import { refreshAnnotation } from '../../../functions/core/guard/refresh.ts';
import { namesHeldBack } from '../../../functions/core/guard/sync-windows.ts';
import { commitA, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

export interface GuardLab extends KeepLab {
  /** The deny window of the Application stands. */
  isClosed(name?: string, project?: string): boolean;
  guard(name?: string, project?: string): Guard | undefined;
  /** Argo CD was asked to look at it since it last did. */
  isAskedToLook(name?: string): boolean;
  /** Argo CD compares with Git what it was asked to while its window stands; before a pass it always has. */
  compares(): void;
  /** Argo CD looks at the Application: as the real one, it starts what it may. Returns whether a sync is running. */
  looks(commit?: string, name?: string): boolean;
  /** Somebody asks for a sync: it stays Running, and waits for the window. */
  asksFor(commit: string, change?: Partial<NonNullable<Application['operation']>>): void;
  /** The MCO observes the pool as it is. */
  confirms(name?: string): void;
}

export const parked = 'Sync operation blocked by sync window';

/** Pool worker has protection guard. The MCO confirms nothing unless it is told to. */
export function guardLab(options: LabOptions = {}): GuardLab {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'guard' } }, ...options });
  const { argocd, pools } = lab.world;
  const isClosed = (name = 'nodes', project = 'default') => namesHeldBack(argocd.project(project).windows).has(name);
  /** The newest commit, as far as the test has told it. */
  let head = commitA;
  const compares = () => {
    for (const { name, annotations, project, operation } of argocd.all()) {
      const isAsked = refreshAnnotation in annotations && operation?.phase !== 'Running';
      if (isAsked && isClosed(name, project)) guarded.looks(head, name);
    }
  };
  const guarded: GuardLab = {
    ...lab,
    pushOf: (commit, change) => {
      head = commit;
      return lab.pushOf(commit, change);
    },
    pass: async (seconds) => {
      compares();
      await lab.pass(seconds);
    },
    compares,
    isClosed,
    guard: (name = 'nodes', project = 'default') => {
      const { record } = argocd.project(project);
      return record.kind === 'guards'
        ? record.guards.find(({ application }) => application === `openshift-gitops/${name}`)
        : undefined;
    },
    isAskedToLook: (name = 'nodes') => refreshAnnotation in argocd.get(name).annotations,
    looks: (commit = commitA, name = 'nodes') => {
      head = commit;
      const { annotations, operation, automated, sync, project } = argocd.get(name);
      const { [refreshAnnotation]: _, ...rest } = annotations;
      const isNew = !sync.revisions.includes(commit) || sync.status === 'OutOfSync';
      argocd.change(name, {
        annotations: rest,
        reconciledAt: lab.world.clock.now().toISOString(),
        ...(isNew ? { sync: { status: 'OutOfSync', revisions: [commit] } } : {}),
      });
      if (isClosed(name, project)) return false;
      if (operation?.phase === 'Running') {
        argocd.change(name, { operation: { ...operation, message: '' } });
        return true;
      }
      if (!automated || !isNew) return false;
      lab.syncs(commit, {}, name);
      return true;
    },
    asksFor: (commit, change) => {
      const { name } = lab.syncs(commit, { startedBy: 'ann', message: isClosed() ? parked : '', ...change });
      argocd.change(name, { reconciledAt: new Date(lab.world.clock.now().getTime() + 1000).toISOString() });
    },
    confirms: (name = 'worker') => {
      const { generation } = pools.get(name);
      pools.change(name, 'machine-config-controller', { observedGeneration: generation });
    },
  };
  return guarded;
}
