import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import { aHold, anApplication, aPool, aRecord } from '../../../fakes/builders.ts';
import { aStory } from '../alerts/incident-lab.ts';
import { minutesAgo } from '../diagnose/world.ts';
import { kinds, passOver, the } from './pass-over.ts';

const hold = aHold({ phase: 'expected', since: minutesAgo(3) });
const held = aPool({ paused: true, record: { kind: 'record', record: aRecord({ holds: [hold] }) } });
const [infra, edge] = ['infra', 'edge'].map((name) => aPool({ name, uid: name }));

test('[N-30] pools that one Application may not hold besides are told in one incident, with what it holds', async () => {
  const passed = await passOver({
    pools: [held, infra ?? held, edge ?? held],
    applications: [{ kind: 'seen', application: anApplication() }],
    policy: { ...defaultPolicy, poolsPerApplication: 1 },
    overLimit: { infra: [hold.id], edge: [hold.id] },
  });

  expect(kinds(passed)).toEqual(['*/late-pause']);
  const trouble = the('late-pause', passed);
  expect(trouble).toMatchObject({ severity: 'high', since: minutesAgo(3), findings: [{ code: 'A8' }] });
  expect(trouble.findings[0]?.sentence).toBe(
    'Application openshift-gitops/nodes holds 1 pool (worker), as many as it may. Not paused for its sync, so that nodes may reboot in the middle of it: infra and edge.',
  );
});

test('[N-30] whoever has many such Applications hides nobody else, nor the pools that these want', async () => {
  const own = Array.from({ length: 6 }, (_, at) => aHold({ id: `sync/hub/aaa/x${at}`, since: minutesAgo(2 + at) }));
  const platform = aHold({ id: 'sync/hub/platform/cfg', since: minutesAgo(9) });
  const all = [...own, platform].map(({ id }) => id);
  const others = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => aPool({ name, uid: name }));

  const passed = await passOver({
    pools: [
      aPool({ paused: true, record: { kind: 'record', record: aRecord({ holds: [...own, platform] }) } }),
      ...others,
    ],
    policy: { ...defaultPolicy, poolsPerApplication: 1 },
    overLimit: { p1: all.slice(0, 6), p2: all.slice(0, 6), p3: all.slice(0, 6), p4: all.slice(0, 6), p5: all.slice(6) },
  });

  const trouble = the('late-pause', passed);
  expect(trouble.headline).toBe(
    'aaa/x0, platform/cfg and 5 more may hold no more pools: p1, p5, p2 and 2 more unprotected',
  );
  expect(trouble.facts[0]?.value).toBe('aaa/x0, platform/cfg, aaa/x1 and 4 more');
  expect(trouble.findings.map(({ subject }) => subject.name)).toEqual(['x0', 'cfg', 'x1', 'x2', 'x3', 'x4', 'x5']);
});

test("[N-30] in Argo CD's own namespace, whoever has many of one AppProject hides none of another", async () => {
  const own = Array.from({ length: 6 }, (_, at) =>
    aHold({ id: `sync/hub/openshift-gitops/x${at}`, project: 'team-a', since: minutesAgo(2 + at) }),
  );
  const other = aHold({ id: 'sync/hub/openshift-gitops/cfg', project: 'team-b', since: minutesAgo(9) });
  const holds = [...own, other];

  const passed = await passOver({
    pools: [aPool({ paused: true, record: { kind: 'record', record: aRecord({ holds }) } }), edge ?? held],
    policy: { ...defaultPolicy, poolsPerApplication: 1 },
    overLimit: { edge: holds.map(({ id }) => id) },
  });

  const names = the('late-pause', passed).findings.map(({ subject }) => `${subject.project}/${subject.name}`);
  expect(names.slice(0, 3)).toEqual(['team-a/x0', 'team-b/cfg', 'team-a/x1']);
});

test('[N-30] who joins many of another namespace is told by name', async () => {
  const own = Array.from({ length: 6 }, (_, at) => aHold({ id: `sync/hub/aaa/x${at}`, since: minutesAgo(2) }));
  const platform = aHold({ id: 'sync/hub/platform/cfg', since: minutesAgo(500) });
  const told = async (holds: readonly Hold[]) =>
    the(
      'late-pause',
      await passOver({
        pools: [
          aPool({ paused: true, record: { kind: 'record', record: aRecord({ holds: [...own, platform] }) } }),
          edge ?? held,
        ],
        policy: { ...defaultPolicy, poolsPerApplication: 1 },
        overLimit: { edge: holds.map(({ id }) => id) },
      }),
    );
  const story = aStory();
  story.wrong(0, await told(own));
  story.wrong(5, await told(own));

  expect(story.wrong(8, await told([...own, platform]))).toBe('updated');
  expect(story.now.notes.at(-1)?.text).toContain('Application platform/cfg holds 1 pool (worker), as many as it may');
});

test('[decoy] nothing is told where nobody wants more', async () => {
  expect(kinds(await passOver({ pools: [held], overLimit: {} }))).toEqual([]);
});
