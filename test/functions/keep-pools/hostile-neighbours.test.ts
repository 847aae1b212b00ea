import { expect, test } from 'vitest';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { commitA, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** What the platform team and its Argo CD do: `root` writes `nodes`, each from a repository of its own. */
type Honest =
  | 'push to root'
  | 'push to nodes'
  | 'root syncs'
  | 'root has synced'
  | 'nodes syncs'
  | 'nodes has synced'
  | 'nodes has failed'
  | 'nothing';

/** What a tenant does who may write Applications and a repository: `near` follows the repository of root, `far` one of
 *  its own, and both say that they write `nodes` and `root`. */
type Hostile =
  | 'near appears'
  | 'near appears by hand'
  | 'far appears'
  | 'push to far'
  | 'near has synced'
  | 'far has synced'
  | 'near runs'
  | 'far runs'
  | 'all go';

const honest: readonly Honest[] = [
  'push to root',
  'push to nodes',
  'root syncs',
  'root has synced',
  'nodes syncs',
  'nodes has synced',
  'nodes has failed',
  'nothing',
];
const hostile: readonly Hostile[] = [
  'near appears',
  'near appears by hand',
  'far appears',
  'push to far',
  'near has synced',
  'far has synced',
  'near runs',
  'far runs',
  'all go',
];

function sourceOf(repository: string) {
  return [{ repoURL: `https://github.com/acme/${repository}.git`, path: '.', targetRevision: 'main', chart: '' }];
}

function claimsOf(...names: readonly string[]) {
  const app = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', status: 'Synced' };
  return names.map((name) => ({ ...app, name }));
}

/** A lab, and what was pushed to each repository last. */
interface World {
  readonly lab: KeepLab;
  readonly heads: Map<string, string>;
}

async function start(): Promise<World> {
  const lab = keepLab();
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.change('nodes', { sources: sourceOf('nodes'), sync, reconciledAt: at(lab) });
  lab.world.argocd.put(
    anApplication({ name: 'root', uid: 'root', sources: sourceOf('root'), sync, resources: claimsOf('nodes') }),
  );
  await lab.tick();
  return { lab, heads: new Map() };
}

function at(lab: KeepLab): string {
  return `${lab.world.clock.now().toISOString().slice(0, 19)}Z`;
}

async function push({ lab, heads }: World, name: string, step: number): Promise<void> {
  const after = `${name.slice(0, 1)}${step}`.padEnd(40, '0');
  const repository = { htmlUrl: `https://github.com/acme/${name}`, fullName: `acme/${name}`, defaultBranch: 'main' };
  const before = heads.get(name) ?? commitA;
  heads.set(name, after);
  const delivery = `${name}-${step}`;
  await lab.deliver({ ...lab.pushOf(after, { repository, before, delivery }), id: delivery });
}

async function tell(lab: KeepLab, phase: string, name: string): Promise<void> {
  const event = lab.operationOf(phase);
  await lab.deliver({ ...event, data: { ...event.data, name } });
}

async function begins({ lab, heads }: World, name: string): Promise<void> {
  if (lab.world.argocd.get(name).operation?.phase === 'Running') return;
  lab.syncs(heads.get(name) ?? commitA, {}, name);
  await tell(lab, 'Running', name);
}

const refused = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', message: 'no' };

async function ends({ lab }: World, name: string, phase: 'Succeeded' | 'Failed'): Promise<void> {
  if (lab.world.argocd.get(name).operation?.phase !== 'Running') return;
  const results = [{ ...refused, name: '99-worker-ssh', status: 'SyncFailed', hookType: '' }];
  const resources = lab.world.argocd.get(name).resources.map((each) => ({
    ...each,
    status: phase === 'Failed' ? 'OutOfSync' : 'Synced',
  }));
  lab.ends(phase, phase === 'Failed' ? { results } : {}, name);
  lab.world.argocd.change(name, { resources, reconciledAt: at(lab) });
  await tell(lab, phase, name);
}

async function perform(world: World, what: Honest, step: number): Promise<void> {
  switch (what) {
    case 'push to root':
      return push(world, 'root', step);
    case 'push to nodes':
      return push(world, 'nodes', step);
    case 'root syncs':
      return begins(world, 'root');
    case 'root has synced':
      return ends(world, 'root', 'Succeeded');
    case 'nodes syncs':
      return begins(world, 'nodes');
    case 'nodes has synced':
      return ends(world, 'nodes', 'Succeeded');
    case 'nodes has failed':
      return ends(world, 'nodes', 'Failed');
    case 'nothing':
      return;
    default:
      return what satisfies never;
  }
}

async function attack(world: World, what: Hostile, step: number): Promise<void> {
  const { lab, heads } = world;
  const isThere = (name: string) => {
    try {
      return lab.world.argocd.get(name).name === name;
    } catch {
      return false;
    }
  };
  /** Listed before `root`, so that it comes first wherever the first one would count. */
  const appears = (name: string, repository: string, automated: boolean) => {
    const root = lab.world.argocd.get('root');
    lab.world.argocd.remove('root');
    const claims = { ...synced(repository), resources: claimsOf('nodes', 'root') };
    lab.world.argocd.put(anApplication({ name, uid: `${name}-${step}`, automated, ...claims }));
    lab.world.argocd.put(root);
  };
  const synced = (repository: string) => {
    const revisions = [heads.get(repository) ?? commitA];
    const operation = anOperation({ startedAt: at(lab), finishedAt: at(lab), revisions, results: [] });
    return { sources: sourceOf(repository), operation, sync: { status: 'Synced', revisions } as const };
  };
  switch (what) {
    case 'near appears':
      return void appears('near', 'root', true);
    case 'near appears by hand':
      return void appears('near', 'root', false);
    case 'far appears':
      return void appears('far', 'far', true);
    case 'push to far':
      return push(world, 'far', step);
    case 'near has synced':
    case 'far has synced': {
      const name = what.startsWith('near') ? 'near' : 'far';
      if (isThere(name))
        lab.world.argocd.change(name, { ...synced(name === 'near' ? 'root' : 'far'), operationQueued: false });
      return;
    }
    case 'near runs':
    case 'far runs': {
      const name = what.startsWith('near') ? 'near' : 'far';
      if (isThere(name)) lab.syncs('f'.repeat(40), {}, name);
      return;
    }
    case 'all go':
      for (const name of ['near', 'far']) lab.world.argocd.remove(name);
      return;
    default:
      return what satisfies never;
  }
}

/** Nobody has to wait for what was pushed any more. */
function isOver(lab: KeepLab, pushedAt: Date): boolean {
  return lab.world.clock.now().getTime() - pushedAt.getTime() >= 900_000;
}

/** Its last sync is of what it has already. */
function changesNothing(lab: KeepLab): boolean {
  const { operation, sync, resources } = lab.world.argocd.get('nodes');
  const isSynced = operation?.revisions.every((each) => sync.revisions.includes(each)) ?? true;
  return isSynced && resources.every(({ status }) => status === 'Synced');
}

const stepOf = fc.record({
  honest: fc.constantFrom(...honest),
  hostile: fc.array(fc.constantFrom(...hostile), { maxLength: 3 }),
  isFirst: fc.boolean(),
  seconds: fc.constantFrom(1, 5, 20, 70, 310, 620),
});

type Step = typeof stepOf extends fc.Arbitrary<infer Each> ? Each : never;

/** Of a push that there was not. */
const never = new Date(0);

/** The same course of things without the tenant and with it. */
interface Course {
  readonly alone: World;
  readonly together: World;
  readonly pushedAt: Date;
  readonly rootPushedAt: Date;
  /** Of the last push to its own repository that no sync has brought. Once one has, a known writer is waited for longer
   *  than it must be. */
  readonly ownPushedAt: Date;
  /** A push to its own repository, after the sync began, is expected to mend what that one failed at: its failure is
   *  told once nothing came of the push. */
  readonly isMended: boolean;
  /** Its last sync began when nothing was waited for, and changes nothing: it pauses nothing. A sync of its own makes
   *  the wait for a known writer longer, so that it may find the pool paused, and need not. */
  readonly isIdle: boolean;
}

async function advance(course: Course, { honest: what, hostile: claims, isFirst }: Step, at: number): Promise<Course> {
  const { alone, together } = course;
  const attacks = async () => {
    for (const claim of claims) await attack(together, claim, at);
  };
  if (isFirst) await attacks();
  const begins = what === 'nodes syncs' && alone.lab.world.argocd.get('nodes').operation?.phase !== 'Running';
  const now = alone.lab.world.clock.now();
  const pushedAt = what.startsWith('push') ? now : course.pushedAt;
  const isRunning = alone.lab.world.argocd.get('nodes').operation?.phase === 'Running';
  const isBrought = what === 'nodes has synced' && isRunning && !course.isMended;
  for (const world of [alone, together]) await perform(world, what, at);
  if (!isFirst) await attacks();
  const isMended = what === 'push to nodes' || (course.isMended && !begins);
  const { lab } = alone;
  const isIdle = begins ? isOver(lab, pushedAt) && changesNothing(lab) : course.isIdle && !what.startsWith('push');
  const rootPushedAt = what === 'push to root' ? now : course.rootPushedAt;
  const ownPushedAt = what === 'push to nodes' ? now : isBrought ? never : course.ownPushedAt;
  return { ...course, pushedAt, rootPushedAt, ownPushedAt, isMended, isIdle };
}

/** What the tenant has taken from the others. */
function lossesOf({ alone, together, rootPushedAt, ownPushedAt, isMended, isIdle }: Course): readonly string[] {
  const isRunning = alone.lab.world.argocd.get('nodes').operation?.phase === 'Running' && !isIdle;
  const mustWait = isRunning || !isOver(alone.lab, rootPushedAt) || !isOver(alone.lab, ownPushedAt);
  const isHeld = alone.lab.record()?.holds.length !== 0 && alone.lab.pool().paused && mustWait;
  const [failed, told] = [alone, together].map(
    ({ lab }) => lab.record()?.holds.find(({ id }) => id === nodesHold)?.phase === 'failed',
  );
  return [
    ...(isHeld && !together.lab.pool().paused ? ['a pause'] : []),
    ...(failed === true && told !== true && !isMended && !isIdle ? ['a failure'] : []),
  ];
}

/** Everything is mended, and nobody claims anything. */
async function settle(world: World): Promise<void> {
  for (const name of ['root', 'nodes']) {
    await ends(world, name, 'Succeeded');
    world.lab.world.clock.advance(2);
    await begins(world, name);
    world.lab.world.clock.advance(2);
    await ends(world, name, 'Succeeded');
  }
  await world.lab.pass(40 * 60);
}

test('[N-30] [S0-2] [S0-9] property: whatever a tenant claims, no pause is missing, no failure is silent, and all ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { minLength: 2, maxLength: 12 }), async (steps) => {
      const [alone, together] = await Promise.all([start(), start()]);
      const pushes = { pushedAt: never, rootPushedAt: never, ownPushedAt: never };
      let course: Course = { alone, together, ...pushes, isMended: false, isIdle: false };
      for (const [index, step] of steps.entries()) {
        course = await advance(course, step, index);
        for (const seconds of [0, step.seconds]) {
          for (const { lab } of [alone, together]) await lab.pass(seconds);
          expect(lossesOf(course), `step ${index}, ${step.honest}`).toEqual([]);
        }
      }
      await attack(together, 'all go', steps.length);
      for (const world of [alone, together]) {
        await settle(world);
        expect([world.lab.pool().paused, world.lab.record()?.holds ?? [], world.lab.troubles()]).toEqual([
          false,
          [],
          [],
        ]);
      }
    }),
    { numRuns: runs(60) },
  );
}, 120_000);
