import { describe, expect, test } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold, type ManualChange } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const hour = 3600;
const closed = Window.parse({ kind: 'allow', from: '2026-03-20', to: '2026-04-01' });

/** What a person does with the command line. */
async function act(lab: KeepLab, decide: (pool: Pool) => ManualChange): Promise<void> {
  const event = () => ({ reason: 'ByHand', message: '', type: 'Normal' as const, at: lab.world.clock.now() });
  await writeByHand(lab.world.pools, { pool: 'worker', decide, event });
}

function held(lab: KeepLab, hours: number): Promise<void> {
  const now = lab.world.clock.now();
  const until = new Date(now.getTime() + hours * hour * 1000);
  return act(lab, (seen) => addManualHold(seen, until, { who: 'ann', why: 'disks', now }));
}

function trouble(lab: KeepLab) {
  const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
  return incident?.trouble;
}

const pending = { target: { name: 'rendered-worker-bbb', sources: [] } };

describe('the message about a pool that is paused for too long', () => {
  test('[N-16] [N-29] prints no resume of a hold past a window that is closed behind it', async () => {
    const lab = keepLab({ windows: [closed] });
    await held(lab, 9);
    lab.world.pools.change('worker', 'mco', pending);
    await lab.pass(4 * hour + 600);

    const said = JSON.stringify(trouble(lab));

    expect(said).toContain('Hold of ann: disks');
    expect(said).not.toContain('poolkeeper resume');
  });

  test('[N-16] [N-29] prints it where that hold is all that keeps the pool paused', async () => {
    const lab = keepLab();
    await held(lab, 9);
    lab.world.pools.change('worker', 'mco', pending);
    await lab.pass(4 * hour + 600);

    expect(JSON.stringify(trouble(lab))).toContain('poolkeeper resume --cluster prod --pool worker');
  });

  test('[N-16] [S0-14] [N-29] has no command that ends the pause of somebody else while a sync holds the pool, too', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true, ...pending });
    await lab.pass(5 * hour);
    const alone = JSON.stringify(trouble(lab));
    lab.syncs(commitB);
    await lab.pass(300);

    const both = JSON.stringify(trouble(lab));

    expect(alone).toContain('oc patch machineconfigpool worker');
    expect(both).not.toContain('oc patch');
    expect(both).toContain('it is held by the sync of openshift-gitops/nodes');
  });
});
