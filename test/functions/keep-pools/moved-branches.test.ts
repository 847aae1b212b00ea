import { expect, test } from 'vitest';
import type { PushSeen } from '../../../events/index.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { commitA, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** What happens to one branch, and what Argo CD does with the Application that follows it. */
type Act =
  | { readonly kind: 'push' }
  /** The branch is forced back to one of its earlier commits. */
  | { readonly kind: 'back'; readonly to: number }
  /** The last two deliveries arrive in the other order. */
  | { readonly kind: 'swapped' }
  /** Argo CD looks at Git. */
  | { readonly kind: 'looks' }
  | { readonly kind: 'compares' }
  | { readonly kind: 'syncs' }
  | { readonly kind: 'waits'; readonly seconds: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'push' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('back' as const), to: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'swapped' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'looks' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'compares' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'syncs' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('waits' as const), seconds: fc.integer({ min: 1, max: 40 }) }),
  },
);

/** `nodes` follows the branch itself, or `root`, which writes it, does. */
async function start(follower: 'nodes' | 'root'): Promise<KeepLab> {
  const lab = keepLab();
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const startedAt = '2026-03-02T09:00:00Z';
  const operation = anOperation({ revisions: [commitA], startedAt, finishedAt: '2026-03-02T09:00:05Z', results: [] });
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const { sources } = lab.world.argocd.get('nodes');
  const elsewhere = [{ repoURL: 'https://github.com/acme/apps.git', path: '', targetRevision: 'main', chart: '' }];
  lab.world.argocd.change('nodes', { sync, operation, reconciledAt: '2026-03-02T09:59:00Z' });
  if (follower === 'root') {
    lab.world.argocd.change('nodes', { sources: elsewhere });
    const resources = [{ ...child, status: 'Synced' }];
    const reconciledAt = '2026-03-02T09:59:00Z';
    lab.world.argocd.put(
      anApplication({ name: 'root', uid: 'root', sources, sync, operation, resources, reconciledAt }),
    );
  }
  await lab.tick();
  return lab;
}

/** One branch, and what Argo CD knows of it. */
function branchOf(lab: KeepLab, follower: 'nodes' | 'root') {
  const history = [commitA];
  /** Places in the history: where the branch is, and where Argo CD believes that it is. */
  let head = 0;
  let seen = 0;
  let deployed = commitA;
  const at = () => lab.world.clock.now().toISOString();

  function pushTo(after: string, forced = false): PushSeen {
    const before = history[head] ?? '';
    history.push(after);
    head = history.length - 1;
    return { ...lab.pushOf(after, { before, forced, receivedAt: at() }), id: `push-${head}` };
  }

  /** Whether it has seen the same commit before or after the branch was somewhere else, nobody can tell. */
  function seenCommit(): string {
    if (history[seen] === history[head]) seen = head;
    return history[seen] ?? '';
  }

  return {
    isDeployed: () => deployed === history[head],
    push: (index: number) => lab.deliver(pushTo(`${index}`.padStart(40, 'c'))),
    forceTo: (place: number) => lab.deliver(pushTo(history[place % history.length] ?? commitA, true)),
    pushSwapped: async (index: number) => {
      const first = pushTo(`${index}`.padStart(40, 'd'));
      lab.world.clock.advance(1);
      await lab.deliver(pushTo(`${index}`.padStart(40, 'e')));
      await lab.deliver(first);
    },
    look: () => {
      seen = head;
    },
    compare: () => {
      const commit = seenCommit();
      const status = commit === deployed ? 'Synced' : 'OutOfSync';
      lab.world.argocd.change(follower, { sync: { status, revisions: [commit] }, reconciledAt: at() });
    },
    sync: async () => {
      lab.syncs(seenCommit(), {}, follower);
      await lab.pass(3);
      lab.ends('Succeeded', { results: [] }, follower);
      deployed = seenCommit();
    },
  };
}

function perform(each: Act, index: number, lab: KeepLab, branch: ReturnType<typeof branchOf>): Promise<void> | void {
  switch (each.kind) {
    case 'push':
      return branch.push(index);
    case 'back':
      return branch.forceTo(each.to);
    case 'swapped':
      return branch.pushSwapped(index);
    case 'looks':
      return branch.look();
    case 'compares':
      return branch.compare();
    case 'syncs':
      return branch.sync();
    case 'waits':
      return lab.pass(each.seconds);
    default:
      return each satisfies never;
  }
}

async function play(follower: 'nodes' | 'root', acts: readonly Act[]): Promise<void> {
  const lab = await start(follower);
  const branch = branchOf(lab, follower);
  for (const [index, each] of acts.entries()) {
    lab.world.clock.advance(2);
    await perform(each, index, lab, branch);
    await lab.pass(2);
    if (follower === 'root') lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.tick();
    const isHeld = lab.record()?.holds.some(({ id }) => id === nodesHold) === true;
    expect({ index, isHeld: isHeld || branch.isDeployed() }).toEqual({ index, isHeld: true });
  }
}

test.each(['nodes', 'root'] as const)(
  '[S0-12] property: wherever a branch is moved, and whatever Argo CD still sees of it, no hold for %s ends before its head is synced',
  async (follower) => {
    await fc.assert(
      // Shorter than a sync is waited for.
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 14 }), (acts) => play(follower, acts)),
      { numRuns: runs(150) },
    );
  },
);
