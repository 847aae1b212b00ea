import { expect, test } from 'vitest';
import type { Operation } from '../../../../functions/core/argocd/application.ts';
import type { Trouble, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import { holdersText } from '../../../../functions/core/openshift/holders.ts';
import { aHold, anApplication, anOperation, aPool, aRecord } from '../../../fakes/builders.ts';
import { minutesAgo } from '../diagnose/world.ts';
import { passAfter, type Scene, the } from './pass-over.ts';

/** Two Argo CDs, and in the namespace of each an Application of one name. */
const instances = ['hub', 'edge'] as const;
const name = 'openshift-gitops/nodes';

function holdsOf(change: Partial<Hold>): readonly Hold[] {
  return instances.map((argocd) => aHold({ id: `sync/${argocd}/${name}`, ...change }));
}

function sceneOf(hold: Partial<Hold>, operation: Partial<Operation>): Scene {
  const record = aRecord({ pausedSince: minutesAgo(8), holds: [...holdsOf({ since: minutesAgo(8), ...hold })] });
  const application = { reconciledAt: minutesAgo(1), operation: anOperation(operation), operationQueued: true };
  return {
    argocds: instances,
    pools: [aPool({ paused: true, record: { kind: 'record', record } })],
    applications: instances.map((argocd) => ({
      kind: 'seen',
      application: anApplication({ argocd, ...application }),
    })),
  };
}

const running = { phase: 'Running', finishedAt: undefined } as const;

const scenes: readonly (readonly [string, TroubleKind, Scene])[] = [
  [
    'that run for too long',
    'sync-stuck',
    sceneOf({ phase: 'syncing' }, { ...running, startedAt: minutesAgo(90), message: 'waiting' }),
  ],
  ['that stand still', 'sync-stuck', sceneOf({ phase: 'syncing' }, { ...running, startedAt: minutesAgo(8) })],
  [
    'that failed',
    'run-failed',
    sceneOf({ phase: 'failed' }, { phase: 'Failed', startedAt: minutesAgo(8), finishedAt: minutesAgo(7) }),
  ],
];

/** All that people read of it, with what they copy. */
function textsOf({ headline, facts, findings }: Trouble): readonly string[] {
  const told = findings.flatMap(({ sentence, remedies }) => [sentence, ...remedies.map(({ title }) => title)]);
  return [headline, ...facts.map(({ value }) => value), ...told].filter((each) => each !== '');
}

test.each(scenes)(
  '[N-29] [N-30] of two Argo CDs whose Applications have one name it is said whose syncs they are %s',
  async (_, kind, scene) => {
    const trouble = the(kind, await passAfter(5, scene));

    for (const argocd of instances) expect(trouble.headline).toContain(`${name} of Argo CD ${argocd}`);
    expect(textsOf(trouble).filter((each) => /openshift-gitops\/nodes(?! of Argo CD)/.test(each))).toEqual([]);
    const ending = trouble.findings.flatMap(({ remedies }) =>
      remedies.filter(({ command }) => command?.startsWith('argocd')),
    );
    expect(ending.map(({ title }) => instances.find((each) => title.includes(`in Argo CD ${each}`)))).toEqual(
      trouble.findings.map(({ subject }) => subject.argocd),
    );
  },
);

test.each(scenes)(
  '[S1-13] [N-30] that the namesake of an Application has a sync %s as well is news',
  async (_, kind, scene) => {
    const [pool] = scene.pools;
    if (pool?.record.kind !== 'record') throw new Error('the pool has no record');
    const record = { ...pool.record.record, holds: pool.record.record.holds.slice(0, 1) };
    const alone = { ...scene, pools: [{ ...pool, record: { kind: 'record' as const, record } }] };

    const [one, both] = [await passAfter(5, alone), await passAfter(5, scene)];

    expect(the(kind, both).digest).not.toBe(the(kind, one).digest);
  },
);

test.each(scenes)(
  '[N-29] and where one Argo CD alone deploys to the cluster, it is not named of a sync %s',
  async (_, kind, scene) => {
    const [pool] = scene.pools;
    if (pool?.record.kind !== 'record') throw new Error('the pool has no record');
    const record = { ...pool.record.record, holds: pool.record.record.holds.slice(0, 1) };
    const applications = (scene.applications ?? []).slice(0, 1);

    const passed = await passAfter(5, {
      ...scene,
      argocds: instances.slice(0, 1),
      applications,
      pools: [{ ...pool, record: { kind: 'record', record } }],
    });

    expect(textsOf(the(kind, passed)).filter((each) => each.includes('Argo CD hub'))).toEqual([]);
  },
);

test('[N-29] [N-30] who else holds a pool is told with its Argo CD, if another one holds it under that name', () => {
  expect(holdersText(holdsOf({}))).toBe(`the sync of ${name} of Argo CD hub and the sync of ${name} of Argo CD edge`);
  expect(holdersText(holdsOf({}).slice(0, 1))).toBe(`the sync of ${name}`);
});

test('[N-30] a failed sync is of the AppProject that its hold has noted, whichever the Application names now', async () => {
  const projects = await Promise.all(
    ['team-a', undefined].map(async (project) => {
      const scene = sceneOf(
        { phase: 'failed', project },
        { phase: 'Failed', startedAt: minutesAgo(8), finishedAt: minutesAgo(7) },
      );
      const applications = instances.map((argocd) => {
        return { kind: 'seen', application: anApplication({ argocd, isAtHome: true, project: 'team-b' }) } as const;
      });
      const trouble = the('run-failed', await passAfter(5, { ...scene, applications }));
      return trouble.findings.map(({ subject }) => subject.project);
    }),
  );

  expect(projects).toEqual([
    ['team-a', 'team-a'],
    ['team-b', 'team-b'],
  ]);
});
