import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Application } from '../../functions/core/argocd/application.ts';
import type { SyncWindow } from '../../functions/core/guard/sync-windows.ts';
import type { ArgoCd } from '../../functions/ports/argocd.ts';
import { anApplication, anOperation } from '../fakes/index.ts';

/** One Argo CD instance as far as the contract plays with it behind the port's back. No controller acts on it. */
export interface ArgoCdLab {
  /** Reads the Applications of `namespaces`. */
  readonly argocd: ArgoCd;
  /** Two namespaces that the instance watches, and one that it does not. */
  readonly namespaces: readonly [string, string];
  readonly otherNamespace: string;
  nameOf(base: string): string;
  createApplication(application: Application): Promise<void>;
  /** An AppProject in the controller's namespace, with these windows. */
  createProject(name: string, windows: readonly SyncWindow[]): Promise<void>;
  deleteApplication(application: Pick<Application, 'namespace' | 'name'>): Promise<void>;
  /** A pod of the controller's namespace; `app` is its label `app.kubernetes.io/name`. */
  createPod(pod: { readonly name: string; readonly app: string; readonly node: string }): Promise<void>;
  close(): Promise<void>;
}

/** What every implementation of the port ArgoCd keeps. */
export function argocdContract(name: string, makeLab: () => Promise<ArgoCdLab>): void {
  describe(`argocd: ${name}`, () => {
    let lab: ArgoCdLab;

    beforeAll(async () => {
      lab = await makeLab();
    });

    afterAll(() => lab.close());

    async function created(base: string, change: Partial<Application> = {}): Promise<Application> {
      const application = anApplication({ namespace: lab.namespaces[0], name: lab.nameOf(base), ...change });
      await lab.createApplication(application);
      return application;
    }

    /** Everything but the uid, which the API server gives. */
    async function readBack({
      namespace,
      name: applicationName,
    }: Application): Promise<Partial<Application> | undefined> {
      const found = await lab.argocd.readApplication({ namespace, name: applicationName });
      return found && comparable(found);
    }

    function comparable(application: Application): Partial<Application> {
      // What its annotation may do, and where Argo CD is, follow from the configuration: kubernetes-argocd.test.ts.
      const { uid: _, named: __, isAtHome: ___, ...rest } = application;
      return { selfHeal: false, ...rest, argocd: lab.argocd.name };
    }

    test.each<[string, Partial<Application>]>([
      ['at rest', {}],
      ['that prunes', { prunes: true }],
      [
        'of several sources',
        {
          sources: [
            { repoURL: 'https://github.com/acme/a.git', path: 'x', targetRevision: 'main', chart: '' },
            { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.2.3', chart: 'base' },
          ],
          sync: { status: 'OutOfSync', revisions: ['a'.repeat(40), '1.2.3'] },
        },
      ],
      ['that is not automated, and retries', { automated: false, retryLimit: 5 }],
      [
        'with an operation that runs',
        {
          operationQueued: true,
          operation: anOperation({ phase: 'Running', message: '', finishedAt: undefined, results: [] }),
        },
      ],
      [
        'with an operation that waits for its next attempt',
        {
          operationQueued: true,
          operation: anOperation({
            phase: 'Running',
            message: 'Retrying attempt #1',
            retryCount: 1,
            retryAt: '2026-03-02T10:00:18.000Z',
          }),
        },
      ],
      ['with an operation that succeeded', { operation: anOperation() }],
      [
        'with an operation of some resources that failed',
        {
          operation: anOperation({
            phase: 'Failed',
            message: 'one or more objects failed to apply',
            partial: true,
            asked: [
              {
                group: 'machineconfiguration.openshift.io',
                kind: 'MachineConfig',
                namespace: '',
                name: '99-worker-ssh',
              },
              { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web' },
            ],
          }),
        },
      ],
      ['with an operation that skips hooks', { operation: anOperation({ partial: true }) }],
      ['with a dry run', { operation: anOperation({ dryRun: true }) }],
      [
        'on a cluster by name',
        { destination: { server: '', name: 'edge' }, annotations: { 'poolkeeper.dev/pools': 'infra' } },
      ],
    ])('reads an application %s', async (kind, change) => {
      const application = await created(kind.replaceAll(/\W+/g, '-'), change);

      expect(await readBack(application)).toEqual(comparable(application));
    });

    test('lists the applications of its namespaces and no others', async () => {
      const one = await created('list-a');
      const two = await created('list-b', { namespace: lab.namespaces[1] });
      const other = await created('list-c', { namespace: lab.otherNamespace });

      const { items: listed } = await lab.argocd.listApplications();

      const names = listed.map((application) => `${application.namespace}/${application.name}`);
      expect(names).toContain(`${one.namespace}/${one.name}`);
      expect(names).toContain(`${two.namespace}/${two.name}`);
      expect(names).not.toContain(`${other.namespace}/${other.name}`);
    });

    test('counts what it would list', async () => {
      const before = (await lab.argocd.listApplications()).items;
      const countIn = (namespace: string) => before.filter((each) => each.namespace === namespace).length;
      await created('count-a');
      await created('count-b', { namespace: lab.namespaces[1] });
      await created('count-c', { namespace: lab.otherNamespace });

      const counts = await lab.argocd.countApplications();
      const [one, two] = lab.namespaces;
      expect(counts?.get(one)).toBe(countIn(one) + 1);
      expect(counts?.get(two)).toBe(countIn(two) + 1);
      expect(counts?.has(lab.otherNamespace)).toBe(false);
    });

    test('lists no ApplicationSets where there are none, also where nobody serves them', async () => {
      expect(await lab.argocd.listApplicationSets()).toEqual({ items: [], unreadable: [] });
    });

    test('answers nothing for an application that was deleted', async () => {
      const application = await created('gone');
      await lab.deleteApplication(application);

      expect(await lab.argocd.readApplication(application)).toBeUndefined();
    });

    test('tells applications of one name in two namespaces apart', async () => {
      const shared = lab.nameOf('twin');
      await created('twin', { name: shared });

      const found = await lab.argocd.readApplication({ namespace: lab.namespaces[1], name: shared });

      expect(found).toBeUndefined();
    });

    test('[N-6] changes windows and guards of a project together, and keeps the windows of others as they are', async () => {
      const project = lab.nameOf('windows');
      const foreign: SyncWindow = { kind: 'allow', schedule: '0 22 * * 2', duration: '4h', applications: ['*'] };
      await lab.createProject(project, [foreign]);
      const ours = { ...foreign, kind: 'deny', description: 'poolkeeper.dev/guard: test' };
      const guard = { application: 'argo-a/nodes', cluster: 'prod', pools: ['worker'] };

      const before = await lab.argocd.readProject(project);
      if (before === undefined) throw new Error('the project is not there');
      const written = await lab.argocd.writeGuards(before, { windows: [foreign, ours], guards: [guard] });
      const late = lab.argocd.writeGuards(before, { windows: [], guards: [] });
      await expect(late).rejects.toMatchObject({ kind: 'conflict' });
      const cleared = await lab.argocd.writeGuards(written, { windows: [foreign], guards: [] });

      expect(before).toMatchObject({ windows: [foreign], record: { guards: [] } });
      expect(written).toMatchObject({ windows: [foreign, ours], record: { guards: [guard] } });
      expect(cleared).toMatchObject({ windows: [foreign], record: { guards: [] } });
      expect((await lab.argocd.listProjects()).items.map(({ name }) => name)).toContain(project);
      expect(await lab.argocd.readProject(lab.nameOf('no-project'))).toBeUndefined();
    });

    test('[N-6] asks for a refresh by the annotation that Argo CD takes away', async () => {
      const application = await created('refreshed');

      await lab.argocd.refresh(application);

      expect((await lab.argocd.readApplication(application))?.annotations).toMatchObject({
        'argocd.argoproj.io/refresh': 'normal',
      });
    });

    test('finds the nodes of its application controller, of Argo CD and of OpenShift GitOps', async () => {
      const [first, second, third] = [lab.nameOf('node-a'), lab.nameOf('node-b'), lab.nameOf('node-c')];
      await lab.createPod({ name: lab.nameOf('c0'), app: 'argocd-application-controller', node: first });
      await lab.createPod({ name: lab.nameOf('c1'), app: 'openshift-gitops-application-controller', node: second });
      await lab.createPod({ name: lab.nameOf('repo'), app: 'argocd-repo-server', node: third });

      const nodes = await lab.argocd.controllerNodes();

      expect(nodes).toContain(first);
      expect(nodes).toContain(second);
      expect(nodes).not.toContain(third);
    });
  });
}
