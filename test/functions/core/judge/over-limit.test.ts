import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { aHold, anApplication, aPool, aRecord } from '../../../fakes/builders.ts';
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

test('[decoy] nothing is told where nobody wants more', async () => {
  expect(kinds(await passOver({ pools: [held], overLimit: {} }))).toEqual([]);
});
