import { describe, expect, it } from 'vitest';
import { machineConfigPools, machines, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { aRun } from './a-run.ts';
import type { RunLab } from './run-lab.ts';

async function minutes({ clock, tick }: RunLab, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await clock.advance(60_000);
    await tick();
  }
}

/** Its kubelet has reported nothing for a while. */
function silence({ openshift }: RunLab, name: string): void {
  openshift.registry.modify(
    nodes,
    { name, namespace: '' },
    ({ status = {} }) => {
      for (const each of status.conditions ?? []) if (each.type === 'Ready') each.status = 'Unknown';
    },
    { manager: 'kube-controller-manager', subresource: 'status' },
  );
}

function remove({ openshift }: RunLab, name: string): void {
  openshift.registry.delete(nodes, { name, namespace: '' }, { manager: 'machine-api' });
  openshift.registry.delete(machines, { name, namespace: 'openshift-machine-api' }, { manager: 'machine-api' });
}

const gone = ({ seen }: RunLab) => seen.filter((each) => each.endsWith(' goes'));

/** The run is out of the configuration for so many minutes. */
async function outFor(run: RunLab, count: number): Promise<void> {
  const before: { runs?: never } = {};
  run.configure((section) => {
    Object.assign(before, section);
    return { ...section, runs: {} };
  });
  await minutes(run, count);
  run.configure((section) => ({ ...section, ...before }));
}

describe('canary nodes of a run, on a simulated cluster', () => {
  it('[S4-23] [S4-37] [N-29] a change that comes while another node has its turn goes to them first', async () => {
    const run = await aRun({ run: { canaryNodes: ['worker-1'], soakSeconds: 3_600 } });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'), 120);

    await run.change('99-zz-second');
    await minutes(run, 90);

    expect(gone(run).slice(0, 3)).toEqual(['worker-1 goes', 'worker-1 goes', 'worker-0 goes']);
    expect(run.seen.slice(run.seen.indexOf('move before worker-0'))).toEqual(
      expect.arrayContaining(['move after worker-0', 'move before worker-1']),
    );
  });

  it.each([{}, { atOnce: 2 }])(
    '[S4-23] [N-29] the others wait for one that is not ready in the middle of its watch, and are blocked where it is deleted then: %j',
    async (more) => {
      const run = await aRun({ rules: {}, run: { canaryNodes: ['worker-1'], soakSeconds: 600, ...more } });
      await run.change();
      await run.until(async () => (await run.record()).turns['worker-1']?.step === 'done', 60);

      await minutes(run, 2);
      silence(run, 'worker-1');
      await minutes(run, 30);
      const waiting = gone(run);
      remove(run, 'worker-1');
      await minutes(run, 10);

      expect([waiting, gone(run)]).toEqual([['worker-1 goes'], ['worker-1 goes']]);
      expect(run.lab.troubles()).toContain('run-blocked');
    },
  );

  it('[S4-20] [N-29] a node that falls silent in its turn, before it went, is told within half an hour', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'), 60);

    silence(run, 'worker-0');
    await minutes(run, 30);

    expect(gone(run)).toEqual([]);
    expect(run.lab.troubles()).toContain('run-blocked');
  });

  it('[S4-23] [N-29] one that joins again as a plain worker ends no block: somebody has to say go-on', async () => {
    const run = await aRun({
      rules: {},
      pools: [{ name: 'infra', maxUnavailable: 1, nodes: ['infra-0', 'infra-1'] }],
      targets: ['infra'],
      run: { canaryNodes: ['infra-1'] },
    });
    const target = () => run.openshift.registry.get(machineConfigPools, 'infra')?.spec.configuration?.name;
    const before = target();
    run.openshift.applyMachineConfig('99-infra', 'infra', { '/etc/x': 'x' });
    await run.clock.advanceUntil(() => target() !== before, 60_000);
    await run.tick();
    await run.until(() => run.seen.includes('infra-1 goes'), 60);
    remove(run, 'infra-1');
    await minutes(run, 10);

    run.openshift.addNodes({ pool: 'worker', names: ['infra-1'] });
    await minutes(run, 10);
    const told = run.lab.troubles();
    await run.ask({ kind: 'go-on', said: run.said('it was broken') });
    await minutes(run, 10);

    expect(told).toContain('run-blocked');
    expect(gone(run)).toEqual(['infra-1 goes', 'infra-0 goes']);
  });

  it('[S4-20] [N-29] who was left out stays so while its run is out of the configuration and its pool paused', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'), 60);
    await run.ask({ kind: 'skip', node: 'worker-0', said: run.said('its database is being moved') });
    await run.until(() => run.seen.includes('worker-1 is back'), 60);

    await outFor(run, 1);
    const isPaused = run.isPaused();
    await minutes(run, 60);

    expect(isPaused).toBe(true);
    expect(gone(run)).not.toContain('worker-0 goes');
    expect((await run.record()).turns['worker-0']).toMatchObject({ step: 'skipped', leftOut: true });
  });

  it('[S4-14] [N-29] a lost record is told until a person has looked, also after its run was out of the configuration', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 is back'), 60);
    await run.forget();
    await minutes(run, 3);

    await outFor(run, 1);
    await minutes(run, 5);
    const told = run.lab.troubles();
    await run.ask({ kind: 'go-on', said: run.said('all is well') });
    await minutes(run, 60);

    expect(told).toContain('run-blocked');
    expect(run.lab.troubles()).not.toContain('run-blocked');
    expect(run.updated()).toEqual(['worker-0', 'worker-1', 'worker-2']);
  });

  it('[S4-14] [S4-23] [N-29] a record that is lost while another node has its turn: no Job runs twice, and its clean-up does', async () => {
    const run = await aRun({ run: { canaryNodes: ['worker-1'], soakSeconds: 600 } });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'), 60);

    await run.forget();
    await minutes(run, 3);
    await run.ask({ kind: 'go-on', said: run.said('all is well') });
    await minutes(run, 60);

    expect(run.seen.filter((each) => each === 'move before worker-0')).toHaveLength(1);
    expect(run.seen).toContain('move after worker-0');
    expect(run.updated()).toEqual(['worker-0', 'worker-1', 'worker-2']);
  });

  it('[S4-23] [S4-37] [N-29] a node that its Job has cordoned, and that no clean-up uncordons, gives way to none: the run goes on', async () => {
    const run = await aRun({
      rules: { move: { cordonsNode: true, cleanUpJobSpec: undefined } },
      run: { canaryNodes: ['worker-1'] },
    });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'), 60);

    await run.change('99-zz-second');
    await minutes(run, 60);

    expect(run.updated()).toEqual(expect.arrayContaining(['worker-0', 'worker-1', 'worker-2']));
    expect(run.isPaused()).toBe(false);
  });
});
